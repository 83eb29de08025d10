import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import type { TestContext } from 'node:test'

export interface Received {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
  at: number
}

/**
 * Sends the response to one request. A behaviour may write to `response.socket` instead, for example to send malformed
 * HTTP.
 */
export type Behaviour = (response: ServerResponse, received: Received) => void

/** A fake webhook endpoint on the loopback interface. It records requests, and the test sets how it responds. */
export interface WebhookReceiver {
  /** The URL without a trailing slash. */
  url: string
  port: number
  received: Received[]
  openConnections(): number
  /**
   * Sets the behaviour for all requests from now on, or for those to one path. By default, the response is 200 with an
   * empty body.
   */
  behave(behaviour: Behaviour, path?: string): void
  /** Waits until a number of requests has arrived, or until one of them matches. */
  until(wanted: number | ((received: Received) => boolean)): Promise<void>
  untilOpen(count: number): Promise<void>
  stop(): Promise<void>
}

export interface ReceiverOptions {
  /** The key and certificate for TLS. If they are present, the receiver accepts only encrypted connections. */
  tls?: { key: string; cert: string }
  port?: number
}

export async function startWebhookReceiver(t: TestContext, options: ReceiverOptions = {}): Promise<WebhookReceiver> {
  const received: Received[] = []
  const sockets = new Set<Socket>()
  const watchers = new Set<() => void>()
  const notify = (): void => {
    for (const watcher of watchers) watcher()
  }
  const behaviours = new Map<string, Behaviour>()
  const server = options.tls === undefined ? createServer() : createHttpsServer(options.tls)
  server.on('request', (request, response: ServerResponse) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const one = { method, path: url, headers, body: Buffer.concat(chunks).toString('utf8'), at: Date.now() }
      received.push(one)
      const behaviour = behaviours.get(url) ?? behaviours.get('') ?? answering(200)
      behaviour(response, one)
      notify()
    })
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    // Clients of this server disconnect on purpose, so errors of connections are ignored.
    socket.on('error', () => {})
    socket.on('close', () => {
      sockets.delete(socket)
      notify()
    })
    notify()
  })
  await new Promise<void>((resolve) => server.listen(options.port ?? 0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const stop = async (): Promise<void> => {
    if (!server.listening) return
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  }
  t.after(stop)

  const waitFor = (what: string, isTrue: () => boolean): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (isTrue()) end(resolve)
      }
      const end = (settle: (error?: never) => void): void => {
        clearTimeout(timer)
        watchers.delete(check)
        settle()
      }
      const timer = setTimeout(() => end(() => reject(new Error(`waited 60 s for ${what}`))), 60_000)
      watchers.add(check)
      check()
    })

  return {
    url: `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    port,
    received,
    openConnections: () => sockets.size,
    behave: (behaviour, path = '') => void behaviours.set(path, behaviour),
    until: (wanted) =>
      waitFor('webhooks', () => (typeof wanted === 'number' ? received.length >= wanted : received.some(wanted))),
    untilOpen: (count) => waitFor(`${count} open connections`, () => sockets.size === count),
    stop,
  }
}

export function answering(status: number, headers: Record<string, string> = {}, body = ''): Behaviour {
  return (response) => void response.writeHead(status, headers).end(body)
}

export const hanging: Behaviour = () => {}

export function redirecting(location: string, status = 302): Behaviour {
  return answering(status, { location })
}

/** Responds with the given number of bytes, without a declared length. */
export function flooding(bytes: number): Behaviour {
  return (response) => {
    const chunk = Buffer.alloc(64 * 1024, 'x')
    let left = bytes
    const more = (): void => {
      while (left > 0 && !response.destroyed) {
        left -= chunk.length
        if (!response.write(chunk)) return void response.once('drain', more)
      }
      response.end()
    }
    response.writeHead(200)
    more()
  }
}

/** Sends the head of a response, then single bytes at intervals, and never ends. */
export function trickling(everyMs: number): Behaviour {
  return (response) => {
    response.writeHead(200).flushHeaders()
    const timer = setInterval(() => response.write('.'), everyMs)
    response.on('close', () => clearInterval(timer))
  }
}

/** Sends exactly the given bytes, then closes the connection. */
export function sendingRaw(text: string | Uint8Array): Behaviour {
  return ({ socket }) => void socket?.end(text)
}

/** Sends the same text repeatedly until the client disconnects. */
export function repeatingRaw(text: string): Behaviour {
  const piece = text.repeat(Math.ceil(65_536 / text.length))
  return ({ socket }) => {
    const more = (): void => {
      while (socket !== null && !socket.destroyed) if (!socket.write(piece)) return void socket.once('drain', more)
    }
    more()
  }
}
