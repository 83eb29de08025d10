import type { ClientBase } from 'pg'

interface Session {
  pid: number
  applicationName: string
  /** State of the session, as `pg_stat_activity` shows it. Null for sessions that this user may not see. */
  state: string | null
  /** Start of the transaction of the session, or of its connection if no transaction is open. */
  since: Date | null
}

export interface Blocked {
  /** The lock that is waited for, such as `AccessExclusiveLock on designs`. */
  waitsFor: string
  blockedBy: Session[]
}

const SESSION = `a.pid, a.application_name as "applicationName", a.state, coalesce(a.xact_start, a.backend_start) as since`

/**
 * Finds the lock that a session waits for and the sessions that block it. Returns undefined if the session does not
 * wait for a lock.
 */
export async function findBlocked(client: ClientBase, pid: number): Promise<Blocked | undefined> {
  const { rows: waits } = await client.query<{ waitsFor: string }>(
    `select mode || ' on ' || coalesce(relation::regclass::text, locktype) as "waitsFor"
     from pg_locks where pid = $1 and not granted limit 1`,
    [pid],
  )
  const [wait] = waits
  if (wait === undefined) return undefined
  const { rows: blockedBy } = await client.query<Session>(
    `select ${SESSION} from pg_stat_activity a where a.pid = any(pg_blocking_pids($1)) order by a.pid`,
    [pid],
  )
  return { ...wait, blockedBy }
}

/** Finds the sessions that hold an advisory lock whose number is below 2^32. */
export async function findHolders(client: ClientBase, lock: number): Promise<Session[]> {
  const { rows } = await client.query<Session>(
    `select ${SESSION} from pg_stat_activity a join pg_locks l on l.pid = a.pid
     where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = $1 and l.objsubid = 1
       and l.database = (select oid from pg_database where datname = current_database())`,
    [lock],
  )
  return rows
}

/**
 * Describes sessions for a message, such as `process 4711 ("platen migrate", active since 2026-01-31T12:00:00.000Z)`.
 */
export function describe(sessions: readonly Session[]): string {
  const each = sessions.map(({ pid, applicationName, state, since }) => {
    const activity = [state, since && `since ${since.toISOString()}`].filter(Boolean).join(' ')
    return `process ${pid} ("${applicationName}", ${activity})`
  })
  return each.length === 0 ? 'a process that has ended in the meantime' : each.join(', ')
}
