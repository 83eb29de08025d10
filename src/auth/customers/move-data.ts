import type { Trx } from '../../platform/db/index.ts'
import type { AccountData } from '../accounts/personal-data/account-data.ts'
import { closeUser } from '../accounts/personal-data/close-user.ts'
import { type MovedRecords, moveRestLater } from '../accounts/personal-data/move-rest.ts'
import { setHeir } from '../accounts/personal-data/store.ts'
import type { EndSessionsDeps } from '../sessions/end-sessions.ts'

/**
 * Moves what a customer without an account owns to another customer, and closes the first one: its tokens end within a
 * second. Of records that may be many, it moves the newest. Call `moveMoreOrLeaveToJob` after the transaction for the
 * others. What requests in progress store for the first one is moved by jobs afterwards. The caller has locked both.
 *
 * @returns the number of records that the first one had, with those that are moved later
 */
export async function moveData(
  trx: Trx,
  auth: EndSessionsDeps & { accountData: readonly AccountData[] },
  from: string,
  to: string,
): Promise<MovedRecords> {
  const records: Record<string, number> = {}
  for (const { name, move, countLeft } of auth.accountData) {
    const moved = (await move?.(trx, from, to)) ?? 0
    records[name] = moved + ((await countLeft?.(trx, from)) ?? 0)
  }
  await closeUser(trx, auth, from)
  await setHeir(trx, from, to)
  await moveRestLater(trx, from, auth.clock.now())
  return records
}
