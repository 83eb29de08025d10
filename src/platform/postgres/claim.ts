import { Socket } from 'node:net'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { LOCKS } from '../db/locking/locks.ts'
import { SUPERUSER } from './cluster.ts'
import { hasErrorCode } from './programs/errors.ts'
import { type Site, SOCKET_PORT } from './site.ts'

export const DATABASE = 'platen'
/** The role of the service. It owns the database of the service and has no other rights. */
export const SERVICE_ROLE = 'platen'

/**
 * The right of one service to a data folder: a session-level advisory lock on a separate connection. The lock ends with
 * the process, whatever ends the process. It is stored with the data, so it also works if two services reach the folder
 * by two paths or from two containers.
 */
export type Claim = Readonly<{
  /** Resolves when the connection, and with it the claim, is lost. */
  dropped: Promise<void>
  /** Creates the role and the database of the service. Completes what a killed first start left unfinished. */
  ensureDatabase: () => Promise<void>
  /** After this call, the claim alone no longer keeps the process running. */
  letProcessEnd: () => void
  release: () => Promise<void>
}>

export type ClaimResult =
  | { kind: 'absent' }
  | { kind: 'not_ready' }
  | { kind: 'held_by_another'; holder: string }
  | { kind: 'claimed'; claim: Claim }

/** Creates a client for the role of the supervisor. It is not connected yet. */
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

/** Connects to a running server for work that the role of the service may not do. The caller ends the connection. */
export async function connectAsSuperuser(place: Pick<Site, 'socketFolder'>): Promise<pg.Client> {
  const client = newClient(place, new Socket())
  // Without a listener, a lost connection would end the process. The next query reports it.
  client.on('error', () => undefined)
  await client.connect()
  return client
}

/** Connects to the server on the folder, if any, and claims the folder. */
export async function tryToClaim(site: Site): Promise<ClaimResult> {
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
    // The process that obeys `archive_timeout` starts before the recovery has ended, and then sleeps for five minutes. A
    // server without an archive need not read its settings again, which logs an error for each that `-c` has replaced.
    await client.query(`select pg_reload_conf() where current_setting('archive_mode') <> 'off'`)
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
 * Finds out whether a service has claimed the folder. The function only reads, because a short claim could stop a
 * service that is starting. `free` means that a server runs without a claim.
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

/**
 * Tells whether a failed connection means that there is no server, or that the server does not accept connections yet.
 *
 * @throws the error itself if it means neither
 */
function whyUnreachable(error: unknown): 'absent' | 'not_ready' {
  if (hasErrorCode(error, 'ENOENT', 'ECONNREFUSED')) return 'absent'
  if (isPassing(error)) return 'not_ready'
  throw error
}

/** Tells whether the server is starting, stopping, crashing, or without a free connection. */
function isPassing(error: unknown): boolean {
  if (hasErrorCode(error, '57P01', '57P02', '57P03', '53300', 'ECONNRESET', 'EPIPE', 'EAGAIN')) return true
  return error instanceof Error && /^(Connection terminated|timeout expired)/.test(error.message)
}

/** Takes the lock. Returns undefined on success, otherwise the holder of the lock. */
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
  // In tests, the role may create databases, because each test copies a migrated database.
  if (rows[0]?.role === false) {
    await client.query(`create role ${SERVICE_ROLE} login ${unsafeForTests ? 'createdb' : 'nocreatedb'}`)
  }
  if (rows[0]?.database === false) await client.query(`create database ${DATABASE} owner ${SERVICE_ROLE}`)
}

/** Claims the folder. Waits while the server is not ready, as long as `isWorthWaiting` returns true. */
export async function claimWhenReady(
  site: Site,
  isWorthWaiting: (result: 'absent' | 'not_ready') => boolean | Promise<boolean>,
): Promise<ClaimResult> {
  for (;;) {
    const result = await tryToClaim(site)
    if (result.kind !== 'absent' && result.kind !== 'not_ready') return result
    if (!(await isWorthWaiting(result.kind))) return result
    await delay(15)
  }
}
