import type { IncomingMessage } from 'node:http'

/** A response of a receiver, bounded, without NUL characters, which PostgreSQL rejects. */
export interface TestResponse {
  kind: 'answered'
  status: number
  /** Names in lower case. Repeated headers are joined. */
  headers: Record<string, string>
  /** The first KiB as sent; never decompressed. */
  body: string
  truncated: boolean
}

const READ_BYTES = 64 * 1024
/** Each part takes time of the event loop, however short it is. An endpoint that fails gets fewer requests. */
const READ_PARTS = 1_000

/** A response in so many parts that reading it would delay others. */
export class TooManyParts extends Error {
  override readonly name = 'TooManyParts'
}
const KEPT_BYTES = 1024
const KEPT_HEADERS = 40
const KEPT_HEADER_CHARACTERS = 512

/**
 * Reads a response up to a limit. A longer one counts as complete, because its status is known; the caller closes the
 * connection.
 *
 * @throws {TooManyParts}
 * @throws an error with code ECONNRESET if the response breaks off
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
      // Copied: a subarray would keep the whole part in memory.
      if (bytes < KEPT_BYTES) parts.push(Buffer.from(part.subarray(0, KEPT_BYTES - bytes)))
      bytes += part.length
      count += 1
      if (bytes <= READ_BYTES && count <= READ_PARTS) return
      // The parser passes on what it has already received, even after `destroy`.
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

/** Decodes UTF-8. `stream` leaves out a character that the limit cuts in two. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}
