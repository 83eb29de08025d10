import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { PoolConfig } from 'pg'

export interface DatabaseProxy {
  /** The URL of the database through the proxy, for `PLATEN_DATABASE_URL`. */
  url: string
  /** Counts how often the given text was sent to the database. */
  timesSent(text: string): number
  /** Closes all connections that listen for notifications, and from then on each new one. */
  cutListeners(): void
  /** Allows connections to listen again. */
  letListen(): void
  /** Closes all connections, and from then on each new one. */
  cutAll(): void
  /** Allows connections again. */
  letConnect(): void
  /**
   * Forwards the next statement that contains the given text, and closes its connection before the response arrives.
   */
  loseAnswerTo(text: string): void
}

/** Starts a proxy between a service and its database. The test can make connections through the proxy fail. */
export async function startDatabaseProxy(t: TestContext, database: PoolConfig): Promise<DatabaseProxy> {
  const sent: string[] = []
  const listeners = new Set<Socket>()
  const clients = new Set<Socket>()
  let isCut = false
  let areAllCut = false
  let unanswered: string | undefined
  const server = createServer({ noDelay: true }, (client) => {
    if (areAllCut) {
      client.destroy()
      return
    }
    clients.add(client)
    client.on('close', () => clients.delete(client))
    const upstream = connect(join(String(database.host), `.s.PGSQL.${database.port}`))
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy())
      one.on('close', () => other.destroy())
    }
    client.on('data', (chunk) => {
      const text = chunk.toString('latin1')
      sent.push(text)
      if (/listen platen_access/.test(text)) listeners.add(client)
      if (isCut && listeners.has(client)) client.destroy()
      else if (unanswered !== undefined && text.includes(unanswered)) {
        unanswered = undefined
        // When the response arrives, the database has executed the statement.
        upstream.removeAllListeners('data').once('data', () => client.destroy())
        upstream.write(chunk)
      } else upstream.write(chunk)
    })
    upstream.on('data', (chunk) => client.write(chunk))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://${database.user}@127.0.0.1:${port}/${database.database}?sslmode=disable`,
    timesSent: (text) => sent.join('').split(text).length - 1,
    cutListeners: () => {
      isCut = true
      for (const listener of listeners) listener.destroy()
    },
    letListen: () => {
      isCut = false
    },
    cutAll: () => {
      areAllCut = true
      for (const client of clients) client.destroy()
    },
    letConnect: () => {
      areAllCut = false
    },
    loseAnswerTo: (text) => {
      unanswered = text
    },
  }
}
