import { EventEmitter } from 'node:events'
import type pg from 'pg'
import { runForAll } from '../concurrency/request-context.ts'
import { createSemaphore } from '../concurrency/semaphore.ts'

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: () => unknown) => void

/** The connection that listens, and the runners that hear its notifications. */
interface Listener {
  client: pg.PoolClient
  query(text: string): Promise<unknown>
  hearers: Set<EventEmitter>
  isLost: boolean
  /** Ends the forwarding of notifications and errors. */
  detach(): void
}

/**
 * Returns a view of a pool for several job runners, which listen for new jobs with one connection. Otherwise each would
 * keep a connection, and one at rest takes 2 MB of the memory of PostgreSQL.
 *
 * The library asks for the connection on which it listens with a callback, and for all others with a promise.
 */
export function withSharedListener(pool: pg.Pool): pg.Pool {
  let opening: Promise<Listener> | undefined

  const open = async (): Promise<Listener> => {
    const client = await pool.connect()
    const hearers = new Set<EventEmitter>()
    const forward = (message: pg.Notification): void => {
      for (const hearer of hearers) hearer.emit('notification', message)
    }
    const lose = (error: Error): void => {
      listener.isLost = true
      // While the last runner leaves, a new one may have opened another connection.
      if (hearers.size > 0) opening = undefined
      listener.detach()
      client.release(error)
      // Each runner connects again after a pause, and the first one opens the next connection.
      for (const hearer of hearers) hearer.emit('error', error)
    }
    const detach = (): void => {
      client.off('notification', forward).off('error', lose)
    }
    // A connection runs one statement at a time.
    const { run: inTurn } = createSemaphore(1)
    const query = (text: string) => runForAll(() => inTurn(() => client.query(text)))
    const listener: Listener = { client, query, hearers, isLost: false, detach }
    client.on('notification', forward).on('error', lose)
    return listener
  }

  const leave = async (listener: Listener, hearer: EventEmitter): Promise<void> => {
    const { client, query, hearers, isLost } = listener
    if (!hearers.delete(hearer) || hearers.size > 0 || isLost) return
    opening = undefined
    const failed = await query('unlisten *').then(
      () => undefined,
      (error: Error) => error,
    )
    if (listener.isLost) return
    listener.detach()
    client.release(failed)
  }

  const listen = (connected: Connected): void => {
    opening ??= open()
    const current = opening
    current.then(
      (listener) => {
        // Without a listener, an error that arrives while the runner leaves would end the process.
        const hearer = new EventEmitter().on('error', () => undefined)
        listener.hearers.add(hearer)
        // A runner that leaves must not stop the notifications of the others.
        const query = async (text: string) => (text.startsWith('UNLISTEN') ? undefined : listener.query(text))
        connected(undefined, Object.assign(hearer, { query }) as unknown as pg.PoolClient, () =>
          leave(listener, hearer),
        )
      },
      (error: Error) => {
        if (opening === current) opening = undefined
        connected(error)
      },
    )
  }

  const connect = (connected?: Connected) => (connected === undefined ? pool.connect() : listen(connected))
  return new Proxy(pool, {
    get: (target, name) => {
      if (name === 'connect') return connect
      const value: unknown = Reflect.get(target, name)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
