/** What a stream tells its reader besides events. */
export interface StreamState {
  /** Id to continue after. It can change without an event. */
  lastEventId: string | undefined
  /** Milliseconds to wait before a new connection. */
  retryMs: number
}

const SHORTEST_RETRY_MS = 10
const LONGEST_RETRY_MS = 60_000

/** Far above the longest event. A server that never ends a line would otherwise fill the memory. */
const MAX_LINE_CHARACTERS = 32 * 1024 * 1024

/**
 * Reads `text/event-stream` (HTML standard, section 9.2), and yields the data of events. Updates the state before each.
 *
 * @throws {RangeError} if a line is too long
 */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>, state: StreamState): AsyncIterable<string> {
  let data: string[] = []
  let id: string | undefined
  for await (const line of readLines(chunks)) {
    const [field, value] = splitLine(line)
    if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) {
      state.retryMs = Math.min(Math.max(Number(value), SHORTEST_RETRY_MS), LONGEST_RETRY_MS)
    }
    if (line !== '') continue
    state.lastEventId = id ?? state.lastEventId
    if (data.length > 0) yield data.join('\n')
    data = []
  }
}

/** A value can contain every character but a line break, also U+2028, which `.` of a regular expression does not match. */
function splitLine(line: string): [field: string, value: string] {
  const colon = line.indexOf(':')
  if (colon < 0) return [line, '']
  const from = line[colon + 1] === ' ' ? colon + 2 : colon + 1
  return [line.slice(0, colon), line.slice(from)]
}

/** Yields complete lines. An incomplete one at the end of the stream belongs to an event that broke off. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let pieces: string[] = []
  let length = 0
  let endedWithReturn = false
  for await (const chunk of chunks) {
    const decoded = decoder.decode(chunk, { stream: true })
    if (decoded === '') continue
    // The line break "\r\n" can be cut in two.
    const text = endedWithReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded
    endedWithReturn = decoded.endsWith('\r')
    const lines = text.split(/\r\n|\n|\r/)
    const rest = lines.pop() ?? ''
    for (const line of lines) {
      yield pieces.length === 0 ? line : pieces.join('') + line
      pieces = []
      length = 0
    }
    pieces.push(rest)
    length += rest.length
    if (length > MAX_LINE_CHARACTERS) throw new RangeError('a line of the event stream is too long')
  }
}
