export interface OutboundRequest extends Omit<RequestInit, 'signal'> {
  /** Timeout for the request and the whole response. */
  timeoutMs: number
  /** Limit of the response body, in bytes. */
  maxBytes: number
  signal?: AbortSignal
}

/** A response of another service. The caller must read or discard its body. */
export interface OutboundResponse extends Pick<Response, 'ok' | 'status' | 'headers'> {
  /**
   * Reads the whole body.
   *
   * @throws {ResponseTooLong}
   */
  read(): Promise<Buffer<ArrayBuffer>>
  discard(): Promise<void>
}

export class ResponseTooLong extends Error {
  override readonly name = 'ResponseTooLong'
}

/**
 * Sends a request to another service. The limits ensure that a faulty service can neither block the caller nor fill the
 * memory. Redirects are rejected unless the caller states otherwise, because they could lead into the internal network.
 */
export async function fetchOutbound(
  url: string,
  { timeoutMs, maxBytes, signal, ...init }: OutboundRequest,
): Promise<OutboundResponse> {
  const timeout = AbortSignal.timeout(timeoutMs)
  const signals = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
  const response = await fetch(url, { redirect: 'error', ...init, signal: signals })
  return {
    ok: response.ok,
    status: response.status,
    headers: response.headers,
    read: () => readBody(response, maxBytes),
    discard: async () => {
      await response.body?.cancel().catch(() => undefined)
    },
  }
}

async function readBody(response: Response, maxBytes: number): Promise<Buffer<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new ResponseTooLong(`the response is longer than ${maxBytes} bytes`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
