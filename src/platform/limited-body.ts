/**
 * Reads the body of somebody else's answer to its end, but no more than this: a service that is broken, or is not the one
 * it should be, must not fill our memory. Undefined: there was more.
 */
export async function readLimitedBody(response: Response, maxBytes: number): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
