import type { Db } from '../../platform/db/index.ts'
import { normalizeEmailAddress } from './email-address.ts'
import { findUserByEmail } from './store.ts'

/** Id of the account with this address, however that is written. For people of the shop: it tells who has an account. */
export async function findAccountId(db: Db, email: string): Promise<string | undefined> {
  const address = normalizeEmailAddress(email)
  return address === undefined ? undefined : (await findUserByEmail(db, address))?.id
}
