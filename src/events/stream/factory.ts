import { type IncomingHttpHeaders, request } from 'node:http'
import { createParser, type EventSourceMessage } from 'eventsource-parser'

export interface FollowOptions {
  token?: string
  lastEventId?: string
  /** The query string, including the question mark. */
  query?: string
}

/** A client that reads `GET /events/stream`. */
export interface Client {
  status: number
  headers: IncomingHttpHeaders
  messages: EventSourceMessage[]
  /** Returns the subjects of the events that have arrived. */
  subjects(): string[]
  comments: string[]
  retryMs(): number | undefined
  /** Returns the last id that the stream stated, with or without an event. */
  lastEventId(): string | undefined
  /** Waits until this many events have arrived. */
  until(count: number): Promise<void>
  pause(): void
  resume(): void
  /** Closes the connection without waiting for the end of the stream. */
  cut(): void
  /** Resolves when the connection ends. The value is true if the server ended the stream properly. */
  ended: Promise<boolean>
}

/** Opens a stream of events and reads it as a browser does. */
export async function follow(origin: string, { token, lastEventId, query = '' }: FollowOptions): Promise<Client> {
  const messages: EventSourceMessage[] = []
  const comments: string[] = []
  const waiting = new Set<() => void>()
  let retryMs: number | undefined
  let lastStated: string | undefined
  const parser = createParser({
    onEvent: (message) => {
      messages.push(message)
      for (const look of waiting) look()
    },
    onComment: (comment) => comments.push(comment),
    onRetry: (ms) => {
      retryMs = ms
    },
    onId: (id) => {
      lastStated = id
    },
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<boolean>()
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
  }
  const outgoing = request(`${origin}/v1/events/stream${query}`, { headers, agent: false })
  const answer = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject).end()
  })
  outgoing.on('error', () => undefined)
  answer.setEncoding('utf8')
  answer.on('data', (text: string) => parser.feed(text))
  answer.on('error', () => undefined)
  answer.once('close', () => end(answer.complete))
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    messages,
    subjects: () => messages.map(({ data }) => JSON.parse(data).subject),
    comments,
    retryMs: () => retryMs,
    lastEventId: () => lastStated,
    until: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (messages.length < count) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
        look()
      }),
    pause: () => answer.pause(),
    resume: () => answer.resume(),
    cut: () => outgoing.destroy(),
    ended,
  }
}
