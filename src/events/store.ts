import { sql } from 'kysely'
import type { Db } from '../platform/db/index.ts'
import { isId } from '../platform/ids.ts'
import type { EventType } from '../platform/outbox.ts'

export interface Event {
  id: string
  type: EventType
  createdAt: Date
  sequence: number
  subject: string
  data: object
}

/** A place in the order in which events are read. */
export interface EventPosition {
  transactionId: string
  position: number
}

/** Where an event stands; undefined for an unknown one, or one of somebody else than `ownerId`. */
export async function findEventPosition(
  db: Db,
  { id, ownerId }: { id: string; ownerId: string | undefined },
): Promise<EventPosition | undefined> {
  if (!isId('event', id)) return undefined
  let query = db
    .selectFrom('events')
    .select([sql<string>`transaction_id::text`.as('transactionId'), 'position'])
    .where('id', '=', id)
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  return query.executeTakeFirst()
}

export interface EventListing {
  /** Whose events; undefined for everybody's. */
  ownerId: string | undefined
  type: EventType | undefined
  after: EventPosition | undefined
  limit: number
}

/**
 * Events in the order of the transactions that wrote them, one more than `limit` where there are more.
 * It stops before the oldest transaction that is still open: its events will stand there,
 * and a reader that had passed the place would never see them.
 */
export async function listEvents(db: Db, { ownerId, type, after, limit }: EventListing): Promise<Event[]> {
  let query = db
    .selectFrom('events')
    .select(['id', 'type', 'created_at as createdAt', 'sequence', 'subject', 'data'])
    .where(sql<boolean>`transaction_id < pg_snapshot_xmin(pg_current_snapshot())`)
  if (ownerId !== undefined) query = query.where('owner_id', '=', ownerId)
  if (type !== undefined) query = query.where('type', '=', type)
  if (after !== undefined) {
    query = query.where(
      sql<boolean>`(transaction_id, position) > (${after.transactionId}::xid8, ${after.position}::bigint)`,
    )
  }
  const rows = await query
    .orderBy('transaction_id')
    .orderBy('position')
    .limit(limit + 1)
    .execute()
  return rows.map((row) => ({ ...row, type: row.type as EventType, data: row.data as object }))
}
