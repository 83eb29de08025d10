import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { OrderMailKind } from '../kinds.ts'

export interface PastMail {
  id: number
  orderId: string
  kind: OrderMailKind
  status: 'waiting' | 'sent' | 'skipped' | 'failed'
  /** Why a mail was skipped, or `outbox` for one that stayed there. */
  reason: string | null
  recipient: string | null
  createdAt: Date
  endedAt: Date | null
}

/** Lists the mails of an order, oldest first. An order has at most a few for each of its parcels, refunds and holds. */
export async function listMails(db: Db, orderId: string): Promise<PastMail[]> {
  return selectMails(db).where('order_id', '=', orderId).orderBy('sequence').orderBy('id').execute() as Promise<
    PastMail[]
  >
}

/** Lists mails about the orders of a customer in the order of their ids. */
export async function listMailsOf(db: Db, ownerId: string, after: number, limit: number): Promise<PastMail[]> {
  const ofOwner = db.selectFrom('orders').select('id').where('owner_id', '=', ownerId)
  return selectMails(db)
    .where('order_id', 'in', ofOwner)
    .where('id', '>', after)
    .orderBy('id')
    .limit(limit)
    .execute() as Promise<PastMail[]>
}

function selectMails(db: Db) {
  return db
    .selectFrom('order_mails')
    .select([
      'id',
      'order_id as orderId',
      'kind',
      'status',
      'reason',
      'recipient',
      'created_at as createdAt',
      'ended_at as endedAt',
    ])
}

/** Erases email addresses of the mails of a customer. Returns how many there were. */
export async function eraseRecipients(trx: Trx, ownerId: string, limit: number): Promise<number> {
  const { numAffectedRows } = await sql`
    update order_mails set recipient = null where id in (
      select m.id from orders o join order_mails m on m.order_id = o.id
      where o.owner_id = ${ownerId} and m.recipient is not null limit ${limit}::int
    )`.execute(trx)
  return Number(numAffectedRows ?? 0)
}
