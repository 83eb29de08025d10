import type { IncomingMessage } from 'node:http'

/** What a receiver answered. Bounded, and without what a database refuses (NUL). */
export interface Answer {
  kind: 'answered'
  status: number
  /** Names in lower case; values of a header that came more than once are joined. */
  headers: Record<string, string>
  /** The beginning, at most 1 KiB as sent; never decompressed. */
  body: string
  /** Whether there was more. */
  truncated: boolean
}

const READ_BYTES = 64 * 1024
const KEPT_BYTES = 1024
const KEPT_HEADERS = 40
const KEPT_HEADER_CHARACTERS = 512

/**
 * Reads an answer up to a limit. One that is longer counts as it is, since its status is known; the caller closes its connection.
 *
 * @throws an error with code ECONNRESET when it ends before its end
 */
export async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    // A copy: a part would keep the whole piece in memory that it was cut from.
    if (bytes < KEPT_BYTES) chunks.push(Buffer.from(chunk.subarray(0, KEPT_BYTES - bytes)))
    bytes += chunk.length
    if (bytes > READ_BYTES) break
  }
  return {
    kind: 'answered',
    status: response.statusCode ?? 0,
    headers: headersOf(response),
    body: textOf(Buffer.concat(chunks)),
    truncated: bytes > KEPT_BYTES,
  }
}

function headersOf({ headersDistinct }: IncomingMessage): Record<string, string> {
  const entries = Object.entries(headersDistinct).slice(0, KEPT_HEADERS)
  return Object.fromEntries(
    entries.map(([name, values]) => [name, (values ?? []).join(', ').slice(0, KEPT_HEADER_CHARACTERS)]),
  )
}

/** As UTF-8. A character that the limit cuts is left out; `stream` holds it back. */
function textOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes, { stream: true }).replaceAll('\0', '\uFFFD')
}
