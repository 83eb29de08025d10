import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { createParser } from 'eventsource-parser'
import { Webhook } from 'standardwebhooks'

export interface FollowedEvent {
  id: string
  type: string
  subject: string
  sequence: number
}

/** The events that a receiver got, and the faults among them. */
export interface Told {
  /** The types of the received events by subject, in the order of their sequence numbers. */
  bySubject: Map<string, string[]>
  duplicates: number
  /** Descriptions of events that arrived before an event with a smaller sequence number. */
  outOfOrder: string[]
}

function newTold(): Told {
  return { bySubject: new Map(), duplicates: 0, outOfOrder: [] }
}

function hear(told: Told, { id, type, subject, sequence }: FollowedEvent): void {
  const types = told.bySubject.get(subject) ?? []
  told.bySubject.set(subject, types)
  if (sequence <= types.length) told.duplicates += 1
  else if (sequence === types.length + 1) types.push(type)
  else told.outOfOrder.push(`${id}: ${sequence} of ${subject} after ${types.length}`)
}

export interface Receiver {
  url: string
  told: Told
  /** The number of posts with an invalid signature. */
  unsigned: number
  /** The secret of the webhook endpoint. It must be set before the first post. */
  secret: string
  close(): void
}

/** Starts a webhook receiver. It runs outside the service, so it continues when the service is killed. */
export async function startReceiver(): Promise<Receiver> {
  const server = createServer(async (request, response) => {
    try {
      const body = await text(request)
      const headers = request.headers as Record<string, string>
      hear(receiver.told, new Webhook(receiver.secret).verify(body, headers) as FollowedEvent)
    } catch (error) {
      // A post that a kill of the service interrupted is no fault.
      if ((error as NodeJS.ErrnoException).code !== 'ECONNRESET') receiver.unsigned += 1
    }
    response.writeHead(204).end()
  })
  server.listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const receiver: Receiver = {
    url: `http://127.0.0.1:${port}/`,
    told: newTold(),
    unsigned: 0,
    secret: '',
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
  return receiver
}

export interface Follower {
  told: Told
  stop(): Promise<void>
}

interface Address {
  origin: string
  token: string
  /** The id of the event after which to continue. */
  after: string
}

/** Reads `GET /events` page by page until it is stopped, and continues each time after the last event. */
export function followPages({ origin, token, after }: Address): Follower {
  return follow(async (told, signal, last) => {
    const query = new URLSearchParams({ after: last.id, limit: '100' })
    const headers = { authorization: `Bearer ${token}` }
    const answer = await fetch(`${origin}/v1/events?${query}`, { headers, signal })
    if (!answer.ok) throw new Error(await answer.text())
    const { data } = (await answer.json()) as { data: FollowedEvent[] }
    for (const event of data) {
      hear(told, event)
      last.id = event.id
    }
  }, after)
}

/** Reads `GET /events/stream` until it is stopped. Whenever the stream ends, reconnects with the last event id. */
export function followStream({ origin, token, after }: Address): Follower {
  return follow(async (told, signal, last) => {
    const headers = { authorization: `Bearer ${token}`, 'last-event-id': last.id }
    const answer = await fetch(`${origin}/v1/events/stream`, { headers, signal })
    if (!answer.ok || answer.body === null) throw new Error(await answer.text())
    const parser = createParser({
      onEvent: ({ id, data }) => {
        if (id === undefined) return
        hear(told, JSON.parse(data))
        last.id = id
      },
    })
    const decoder = new TextDecoder()
    for await (const chunk of answer.body) parser.feed(decoder.decode(chunk, { stream: true }))
  }, after)
}

function follow(
  read: (told: Told, signal: AbortSignal, last: { id: string }) => Promise<void>,
  after: string,
): Follower {
  const told = newTold()
  const ending = new AbortController()
  const last = { id: after }
  const reading = (async () => {
    while (!ending.signal.aborted) {
      // After each kill, the service is down for some time, so errors are ignored.
      await read(told, ending.signal, last).catch(() => undefined)
      await delay(20)
    }
  })()
  return {
    told,
    stop: async () => {
      ending.abort()
      await reading
    },
  }
}
