import { createHash, randomBytes } from 'node:crypto'
import type { Db, Trx } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import type { SecurityEvent } from './events.ts'

/** A row of `security_events`, in the order of its columns. */
export interface SecurityEventRow {
  id: string
  type: string
  result: string
  user_id: string | null
  actor: string | null
  session_id: string | null
  method: string | null
  /** JSON. */
  details: string
  /** JSON. */
  personal: string | null
  personal_salt: Buffer | null
  personal_digest: Buffer
  recorded_at: Date
}

/** What is stored of an event. Personal parts are beside a salted digest of them, which remains when they are removed. */
export function toRow(event: SecurityEvent, at: Date): SecurityEventRow {
  const { client } = event
  const personal = JSON.stringify(client === null ? {} : { ipAddress: client.ipAddress, userAgent: client.userAgent })
  const salt = randomBytes(16)
  return {
    id: newId('securityEvent'),
    type: event.type,
    result: event.result ?? 'success',
    user_id: event.userId,
    actor: event.actor === undefined ? event.userId : event.actor,
    session_id: event.sessionId ?? null,
    method: event.method ?? null,
    details: JSON.stringify(event.details ?? {}),
    personal,
    personal_salt: salt,
    personal_digest: createHash('sha256').update(salt).update(personal).digest(),
    recorded_at: at,
  }
}

export async function insertSecurityEvent(db: Db | Trx, row: SecurityEventRow): Promise<void> {
  await db.insertInto('security_events').values(row).execute()
}
