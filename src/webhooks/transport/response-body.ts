import type { IncomingMessage } from 'node:http'

/** The stored part of a receiver's response. It contains no NUL characters, which PostgreSQL rejects. */
export interface TestResponse {
  kind: 'answered'
  status: number
  /** The names are in lower case. The values of repeated headers are joined. */
  headers: Record<string, string>
  /** The first KiB of the body as it was sent. It is never decompressed. */
  body: string
  truncated: boolean
}

const READ_BYTES = 64 * 1024
/**
 * Maximum number of chunks in which a response may arrive. Each chunk takes time of the event loop, however short the
 * chunk is. The request then fails, and a failing endpoint gets fewer requests.
 */
const READ_PARTS = 1_000

/** Thrown if a response arrives in so many chunks that reading it would delay other requests. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts'
}
const KEPT_BYTES = 1024
const KEPT_HEADERS = 40
const KEPT_HEADER_CHARACTERS = 512

/**
 * Reads a response up to a limit. A response that is longer counts as complete, because its status is known. The caller
 * must close the connection.
 *
 * @throws {TooManyParts}
 * @throws an error with code ECONNRESET if the connection is closed during the response
 */
export async function readAnswer(response: IncomingMessage): Promise<TestResponse> {
  const { kept, isWhole } = await readBody(response)
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    body: textOf(kept),
    truncated: !isWhole,
  }
}

function readBody(response: IncomingMessage): Promise<{ kept: Buffer; isWhole: boolean }> {
  const parts: Buffer[] = []
  let bytes = 0
  let count = 0
  return new Promise((resolve, reject) => {
    const keep = (part: Buffer): void => {
      // Copied, because a subarray would keep the memory of the whole chunk.
      if (bytes < KEPT_BYTES) parts.push(Buffer.from(part.subarray(0, KEPT_BYTES - bytes)))
      bytes += part.length
      count += 1
      if (bytes <= READ_BYTES && count <= READ_PARTS) return
      // Even after `destroy`, the parser still emits chunks that it has already received.
      response.off('data', keep)
      if (bytes > READ_BYTES) resolve({ kept: Buffer.concat(parts), isWhole: false })
      else reject(new TooManyParts())
      response.destroy()
    }
    response.on('data', keep)
    response.once('end', () => resolve({ kept: Buffer.concat(parts), isWhole: bytes <= KEPT_BYTES }))
    response.once('error', reject)
  })
}

function headersOf({ headersDistinct }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headersDistinct).slice(0, KEPT_HEADERS)
  return Object.fromEntries(
    entries.map(([name, values]) => [name, (values ?? []).join(', ').slice(0, KEPT_HEADER_CHARACTERS)]),
  )
}

/** Decodes UTF-8. The option `stream` omits a character of which the limit cut off a part. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}
