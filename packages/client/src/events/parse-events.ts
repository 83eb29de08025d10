/** What a stream tells its reader besides events. */
export interface StreamState {
  /** Id to continue after. It can change without an event. */
  lastEventId: string | undefined
  /** Milliseconds to wait before a new connection. */
  retryMs: number
}

/**
 * Reads `text/event-stream` (HTML standard, section 9.2), and yields the data of events. Updates the state before each.
 */
export async function* parseEvents(chunks: AsyncIterable<Uint8Array>, state: StreamState): AsyncIterable<string> {
  let data: string[] = []
  let id: string | undefined
  for await (const line of readLines(chunks)) {
    const [, field = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line) ?? []
    if (field === 'data') data.push(value)
    else if (field === 'id' && !value.includes('\0')) id = value
    else if (field === 'retry' && /^\d+$/.test(value)) state.retryMs = Number(value)
    if (line !== '') continue
    state.lastEventId = id ?? state.lastEventId
    if (data.length > 0) yield data.join('\n')
    data = []
  }
}

/** Yields complete lines. An incomplete one at the end of the stream belongs to an event that broke off. */
async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncIterable<string> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of chunks) {
    const lines = `${rest}${decoder.decode(chunk, { stream: true })}`.split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    yield* lines
  }
}
