import { Socket } from 'node:net'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { LOCKS } from '../db/locks.ts'
import { SUPERUSER } from './cluster.ts'
import { hasErrorCode } from './programs/errors.ts'
import { type Site, SOCKET_PORT } from './site.ts'

export const DATABASE = 'platen'
/** The role that the service works as: it owns its database and rules over nothing else. */
export const SERVICE_ROLE = 'platen'

/**
 * The right of one service to a data folder: a session-level advisory lock, held by a connection of its own. It ends with
 * the process, however that ends, and it is where the data is, so that two paths or two containers cannot get past it.
 */
export type Claim = Readonly<{
  /** Fulfilled when the connection is gone, and the right with it. */
  dropped: Promise<void>
  /** Creates the service's role and database, or what a killed first start left undone of them. */
  ensureDatabase: () => Promise<void>
  /** From now on the claim alone does not keep the process running. */
  letProcessEnd: () => void
  release: () => Promise<void>
}>

export type Answer =
  | { kind: 'absent' }
  | { kind: 'not_ready' }
  | { kind: 'held_by_another'; holder: string }
  | { kind: 'claimed'; claim: Claim }

/** A connection of the supervisor's own role, not yet made. */
function newClient({ socketFolder }: Pick<Site, 'socketFolder'>, socket: Socket): pg.Client {
  return new pg.Client({
    host: socketFolder,
    port: SOCKET_PORT,
    user: SUPERUSER,
    database: 'postgres',
    ssl: false,
    options: '-c idle_session_timeout=0 -c statement_timeout=0',
    application_name: `platen ${process.pid}`,
    connectionTimeoutMillis: 5_000,
    stream: () => socket,
  })
}

/** Connects to the server on the folder, if there is one, and claims the folder. */
export async function tryToClaim(site: Site): Promise<Answer> {
  const socket = new Socket()
  const client = newClient(site, socket)
  const dropped = new Promise<void>((resolve) => {
    client.once('end', () => resolve())
    client.on('error', () => resolve())
  })
  try {
    await client.connect()
    const holder = await lock(client)
    if (holder !== undefined) {
      await client.end()
      return { kind: 'held_by_another', holder }
    }
  } catch (error) {
    await client.end().catch(() => undefined)
    return { kind: whyUnreachable(error) }
  }
  const claim: Claim = {
    dropped,
    ensureDatabase: () => ensureDatabase(client, site),
    letProcessEnd: () => {
      socket.unref()
    },
    release: () => {
      socket.ref()
      return client.end()
    },
  }
  return { kind: 'claimed', claim }
}

/**
 * Whether somebody holds the folder. It only looks: claiming it for a moment could stop a service that starts right then.
 * `free`: there is a server, but nobody's.
 */
export async function findOutClaimed(
  site: Pick<Site, 'socketFolder'>,
): Promise<'absent' | 'not_ready' | 'free' | 'claimed'> {
  const client = newClient(site, new Socket())
  client.on('error', () => undefined)
  try {
    await client.connect()
    return (await findHolder(client)) === undefined ? 'free' : 'claimed'
  } catch (error) {
    return whyUnreachable(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** @throws the error itself when it does not just mean that there is no server, or none that answers yet */
function whyUnreachable(error: unknown): 'absent' | 'not_ready' {
  if (hasErrorCode(error, 'ENOENT', 'ECONNREFUSED')) return 'absent'
  if (isPassing(error)) return 'not_ready'
  throw error
}

/** Starting, stopping, crashing just now, or without a free connection. */
function isPassing(error: unknown): boolean {
  if (hasErrorCode(error, '57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN')) return true
  return error instanceof Error && /^(Connection terminated|timeout expired)/.test(error.message)
}

/** Takes the lock. Returns undefined, or who holds it. */
async function lock(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
    LOCKS.dataFolder,
  ])
  if (rows[0]?.taken === true) return undefined
  return (await findHolder(client)) ?? 'another process'
}

async function findHolder(client: pg.Client): Promise<string | undefined> {
  const holders = await client.query<{ application_name: string }>(
    `select application_name from pg_stat_activity join pg_locks using (pid)
     where locktype = 'advisory' and granted and classid = 0 and objid = $1`,
    [LOCKS.dataFolder],
  )
  return holders.rows[0]?.application_name.replace('platen ', 'process ')
}

async function ensureDatabase(client: pg.Client, { unsafeForTests }: Site): Promise<void> {
  const { rows } = await client.query<{ role: boolean; database: boolean }>(
    `select exists (select from pg_roles where rolname = $1) as role,
            exists (select from pg_database where datname = $2) as database`,
    [SERVICE_ROLE, DATABASE],
  )
  // Tests copy a migrated database for each of themselves.
  if (rows[0]?.role === false) {
    await client.query(`create role ${SERVICE_ROLE} login ${unsafeForTests ? 'createdb' : 'nocreatedb'}`)
  }
  if (rows[0]?.database === false) await client.query(`create database ${DATABASE} owner ${SERVICE_ROLE}`)
}

/** Claims the folder, waiting while its server is not ready, for as long as `isWorthWaiting` says so. */
export async function claimWhenReady(
  site: Site,
  isWorthWaiting: (answer: 'absent' | 'not_ready') => boolean | Promise<boolean>,
): Promise<Answer> {
  for (;;) {
    const answer = await tryToClaim(site)
    if (answer.kind !== 'absent' && answer.kind !== 'not_ready') return answer
    if (!(await isWorthWaiting(answer.kind))) return answer
    await delay(15)
  }
}
