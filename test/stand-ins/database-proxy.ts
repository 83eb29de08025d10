import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { PoolConfig } from 'pg'

export interface DatabaseProxy {
  /** The database as seen through the proxy, for `PLATEN_DATABASE_URL`. */
  url: string
  /** How often this text was sent to the database. */
  timesSent(text: string): number
  /** Ends the connections on which somebody listens, and each that begins to. */
  cutListeners(): void
  /** Lets them be again. */
  letListen(): void
}

/** A network between a service and its database, on which connections can be lost. */
export async function startDatabaseProxy(t: TestContext, database: PoolConfig): Promise<DatabaseProxy> {
  const sent: string[] = []
  const listeners = new Set<Socket>()
  let isCut = false
  const server = createServer((client) => {
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
      else upstream.write(chunk)
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
  }
}
