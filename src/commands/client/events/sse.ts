import { createParser, type EventSourceMessage } from 'eventsource-parser'

/** A block of an event stream. */
export interface Frame {
  /** The id after which the stream continues. Without `data`, the stream starts behind this event. */
  id?: string
  event?: string
  data?: string
  /** Whether this block ends the opening of the stream. */
  isOpening?: true
}

/** Time without a byte after which a connection counts as dead. The service sends a comment every 15 seconds. */
const SILENT_AFTER_MS = 45_000

/** Yields the blocks of a response with server-sent events. */
export async function* readFrames(response: Response): AsyncGenerator<Frame> {
  const frames: Frame[] = []
  const parser = createParser({
    // The parser states the id of a block before its event.
    onId: (id) => frames.push({ id }),
    onEvent: ({ id, event, data }: EventSourceMessage) => {
      if (id !== undefined) frames.pop()
      frames.push({ data, ...(id === undefined ? {} : { id }), ...(event === undefined ? {} : { event }) })
    },
    // The service states the delay once, after the id behind which the stream starts.
    onRetry: () => frames.push({ isOpening: true }),
  })
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  if (reader === undefined) return
  for (;;) {
    const { done, value } = await withinSilence(reader.read())
    if (done) return
    parser.feed(value)
    yield* frames.splice(0)
  }
}

/** Rejects if nothing arrives in time, for example because the network is gone. */
function withinSilence<Value>(reading: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('nothing arrived for 45 seconds')), SILENT_AFTER_MS)
    reading.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
