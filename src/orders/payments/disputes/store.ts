import { sql } from 'kysely'
import type { Db } from '../../../platform/db/index.ts'
import { openDisputes } from '../../order/open-disputes.ts'

/** Lists the charges that took money, of orders with an open dispute. The timeline does not say which one is disputed. */
export async function listDisputedCharges(
  db: Db,
  providers: readonly string[],
): Promise<{ provider: string; reference: string }[]> {
  const { rows } = await sql<{ provider: string; reference: string }>`
    select attempt.provider, attempt.reference
    from payments payment join payment_attempts attempt on attempt.payment_id = payment.id
    where payment.order_id = any (array(select order_id from (${openDisputes()}) as disputed))
      and attempt.reference is not null and attempt.status in ('captured', 'releasing', 'released')
      and attempt.provider = any (${[...providers]}::text[])`.execute(db)
  return rows
}

/** Lists the ids of the open disputes of an order at their provider. */
export async function listOpenDisputes(db: Db, orderId: string): Promise<(string | null)[]> {
  const { rows } = await sql<{ reason: string | null }>`${openDisputes({ orderId })}`.execute(db)
  return rows.map(({ reason }) => reason)
}
