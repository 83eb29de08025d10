import { sql } from 'kysely'
import type { OrderBody } from '../orders/index.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import { networkOfCustomer, networkOfVisitor } from '../platform/db/share.ts'
import type { EventPosition } from '../platform/outbox/index.ts'
import { CAUSING_EVENTS, type CausingEvent, type MailCause } from './causes.ts'
import type { OrderMailKind } from './kinds.ts'

/** Reads the position up to which events have become mails. */
export async function readCursor(db: Db | Trx): Promise<EventPosition> {
  const { rows } = await sql<EventPosition>`
    select transaction_id::text::bigint as "transactionId", position from order_mail_cursor
    where is_only_row = ${true}`.execute(db)
  const [cursor] = rows
  if (cursor === undefined) throw new Error('the table order_mail_cursor has no row')
  return cursor
}

/**
 * Reads the position as `readCursor` does, and locks it until the transaction ends. Undefined if another process has
 * locked it.
 */
export async function lockCursor(trx: Trx): Promise<EventPosition | undefined> {
  const { rows } = await sql<EventPosition>`
    select transaction_id::text::bigint as "transactionId", position from order_mail_cursor
    where is_only_row = ${true} for update skip locked`.execute(trx)
  return rows[0]
}

/** Tells whether events can be read after the cursor. Locks nothing, so that looking for events writes nothing. */
export async function hasNewEvents(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (
      select from events
      where (transaction_id, position)
        > ((select transaction_id from order_mail_cursor), (select position from order_mail_cursor))
        and transaction_id < (select events_readable_before())
    )`.execute(db)
  return rows[0]?.exists === true
}

export async function moveCursor(trx: Trx, { transactionId, position }: EventPosition): Promise<void> {
  await sql`
    update order_mail_cursor
    set transaction_id = ${String(transactionId)}::xid8, position = ${position}::bigint`.execute(trx)
}

/** Moves the cursor past all events that can be read. */
export async function skipEvents(db: Db): Promise<void> {
  await sql`
    update order_mail_cursor set transaction_id = readable.before, position = 0
    from (select events_readable_before() as before) readable
    where order_mail_cursor.transaction_id < readable.before`.execute(db)
}

export interface ReadEvent extends CausingEvent, EventPosition {
  id: string
  orderId: string
  sequence: number
}

/** Reads the next events of all types. The database extracts what causes of mails depend on, because orders are large. */
export async function readEvents(db: Db | Trx, after: EventPosition, limit: number): Promise<ReadEvent[]> {
  const { rows } = await sql<ReadEvent>`
    with batch as materialized (
      select id, type, subject, sequence, transaction_id, position from events
      where (transaction_id, position) > (${String(after.transactionId)}::xid8, ${after.position}::bigint)
        and transaction_id < (select events_readable_before())
      order by transaction_id, position limit ${limit}::int
    )
    select b.id, b.type, b.subject as "orderId", b.sequence,
      b.transaction_id::text::bigint as "transactionId", b.position,
      coalesce(found."isHoldAnswered", false) as "isHoldAnswered", coalesce(found.holds, 0) as holds,
      coalesce(found.shipments, '{}') as shipments, coalesce(found.refunds, '{}') as "succeededRefunds"
    from batch b left join lateral (
      select parsed.hold ->> 'answeredAt' is not null as "isHoldAnswered",
        (
          select count(*)::int from json_array_elements(parsed.timeline) as entry
          where entry ->> 'type' = 'order.on_hold'
        ) as holds,
        array(
          select shipment ->> 'id'
          from json_array_elements(parsed.shipments) with ordinality as of (shipment, n) order by n
        ) as shipments,
        array(
          select refund ->> 'id'
          from json_array_elements(parsed.payment -> 'refunds') with ordinality as of (refund, n)
          where refund ->> 'status' = 'succeeded' order by n
        ) as refunds
      -- Each access to a member of the data would parse the whole order.
      from events e
      cross join lateral json_to_record(e.data) as parsed (hold json, timeline json, shipments json, payment json)
      where e.id = b.id and b.type = any(${CAUSING_EVENTS}::text[])
    ) found on true
    order by b.transaction_id, b.position`.execute(db)
  return rows
}

export interface NewMail extends MailCause {
  orderId: string
  eventId: string
  sequence: number
}

/** Lists the mails of these orders with every outcome. */
export async function listCauses(trx: Trx, orderIds: readonly string[]): Promise<(MailCause & { orderId: string })[]> {
  const rows = await trx
    .selectFrom('order_mails')
    .select(['order_id as orderId', 'kind', 'cause'])
    .where(sql<boolean>`order_id = any(${orderIds}::text[])`)
    .execute()
  return rows.map((row) => ({ ...row, kind: row.kind as OrderMailKind }))
}

export async function insertMails(trx: Trx, mails: readonly NewMail[], at: Date): Promise<void> {
  const rows = mails.map(({ orderId, kind, cause, eventId, sequence }) => ({
    ...{ order_id: orderId, kind, cause, event_id: eventId, sequence },
    status: 'waiting',
    created_at: at,
    // The previous release reads it.
    network: sql<string | null>`(
      select ${networkOfVisitor('o.owner_id', 'n.network')}
      from orders o left join newcomers n on n.user_id = o.owner_id where o.id = ${orderId})`,
    share: sql<string | null>`(
      select ${networkOfCustomer('o.owner_id', 'n.network')}
      from orders o left join newcomers n on n.user_id = o.owner_id where o.id = ${orderId})`,
  }))
  await trx
    .insertInto('order_mails')
    .values(rows)
    .onConflict((conflict) => conflict.columns(['order_id', 'kind', 'cause']).doNothing())
    .execute()
}

/** A mail that this process may send. */
export interface Claim extends MailCause {
  id: number
  token: string
  orderId: string
  eventId: string
  createdAt: Date
}

/** How long a process may be silent before another one sends its mail. */
export const LEASE_SECONDS = 60

/** The end of a lease that begins now, by the clock of the database, so that the clocks of processes may differ. */
const LEASE_END = sql`clock_timestamp() + make_interval(secs => ${sql.lit(LEASE_SECONDS)})`

/**
 * Claims the oldest waiting mail of an order. Later mails of the order wait for it.
 *
 * @returns `heldUntil` if another process is sending the mail; undefined if no mail waits
 */
export async function claimNext(
  db: Db,
  { orderId, token }: { orderId: string; token: string },
): Promise<Claim | { heldUntil: Date } | undefined> {
  const { rows } = await sql<Omit<Claim, 'token'> & { isTaken: boolean; heldUntil: Date | null }>`
    with head as (
      select id, order_id, kind, cause, event_id, created_at, leased_until from order_mails
      where order_id = ${orderId} and status = 'waiting' order by sequence limit 1 for update
    ), taken as (
      update order_mails m set lease_token = ${token}::uuid, leased_until = ${LEASE_END} from head
      where m.id = head.id and (head.leased_until is null or head.leased_until <= clock_timestamp())
      returning m.id
    )
    select id, order_id as "orderId", kind, cause, event_id as "eventId", created_at as "createdAt",
      leased_until as "heldUntil", exists (select from taken) as "isTaken"
    from head`.execute(db)
  const [row] = rows
  if (row === undefined) return undefined
  const { isTaken, heldUntil, ...mail } = row
  return isTaken ? { ...mail, token } : { heldUntil: heldUntil ?? new Date() }
}

/** Returns the SQL condition that the process still holds the lease of a mail. Every change includes it. */
const isHeld = ({ id, token }: Pick<Claim, 'id' | 'token'>) => sql<boolean>`id = ${id} and lease_token = ${token}::uuid`

export async function renewClaim(db: Db, claim: Claim): Promise<void> {
  await sql`update order_mails set leased_until = ${LEASE_END} where ${isHeld(claim)}`.execute(db)
}

/** Ends a claim without a change, so that any process may send the mail later. */
export async function releaseClaim(db: Db, claim: Claim): Promise<void> {
  await db.updateTable('order_mails').set({ lease_token: null, leased_until: null }).where(isHeld(claim)).execute()
}

/** The outcome of a mail. */
export type Outcome =
  | { status: 'sent'; to: string; isInOutbox?: true }
  | { status: 'failed' }
  | { status: 'skipped'; reason: SkipReason }

export type SkipReason =
  | 'customer_erased'
  | 'order_erased'
  | 'no_email_address'
  | 'event_not_retained'
  | 'too_old'
  | 'mails_off'
  | 'too_many'
  | 'rejected'

/** Ends a mail. Returns false if another process has taken it over. */
export async function endMail(db: Db | Trx, claim: Claim, outcome: Outcome, at: Date): Promise<boolean> {
  const recipient = outcome.status === 'sent' ? outcome.to : null
  const { numUpdatedRows } = await db
    .updateTable('order_mails')
    .set({
      status: outcome.status,
      reason: reasonOf(outcome),
      recipient,
      ended_at: at,
      lease_token: null,
      leased_until: null,
    })
    .where(isHeld(claim))
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

function reasonOf(outcome: Outcome): string | null {
  if (outcome.status === 'skipped') return outcome.reason
  return outcome.status === 'sent' && outcome.isInOutbox === true ? 'outbox' : null
}

/** Finds the order as it was after an event. Returns undefined if the event is no longer retained or was erased. */
export async function findOrderOf(db: Db, eventId: string): Promise<OrderBody | undefined> {
  const row = await db
    .selectFrom('events')
    .select('data')
    .where('id', '=', eventId)
    .where('is_erased', '=', false)
    .executeTakeFirst()
  return row?.data as OrderBody | undefined
}
