import type { Trx } from '../../platform/db/index.ts'
import type { AccountData } from '../accounts/personal-data/account-data.ts'
import type { Administrator } from '../audit/admin-acts.ts'
import { customerProblems } from '../problems.ts'
import { customerIdOf } from '../users/customer-id.ts'
import { type CustomerDeps, recordAct, required } from './manage-customers.ts'
import { moveData } from './move-data.ts'
import { type Customer, lockCustomer } from './store.ts'

export type MergeDeps = CustomerDeps & { accountData: readonly AccountData[] }

/**
 * Merges a customer without an account into another one, which gets its designs, assets, fonts, quotes and orders.
 *
 * @throws `merge_into_itself`, `customer_not_found`, `customer_has_account`
 */
export async function mergeCustomers(
  trx: Trx,
  auth: MergeDeps,
  operator: Administrator,
  { from, into }: { from: string; into: string },
): Promise<Customer> {
  if (from === into) throw customerProblems.merge_into_itself()
  // In one order, so that two merges in opposite directions cannot deadlock.
  const locked = new Map<string, Customer | undefined>()
  for (const id of [from, into].sort()) locked.set(id, await lockCustomer(trx, id))
  for (const id of [from, into])
    if (required(locked.get(id)).kind === 'account') throw customerProblems.customer_has_account()
  await moveData(trx, auth, from, into)
  const details = { into: customerIdOf(into) }
  await recordAct(trx, auth, operator, { type: 'customer_merged', userId: from, details })
  return required(locked.get(into))
}
