import type { Db } from '../../platform/db/index.ts'
import { normalizeEmailAddress } from './email-address.ts'
import { findUserByEmail } from './store.ts'

/** Id of the account with this address, however that is written. For people of the shop: it tells who has an account. */
export async function findAccountId(db: Db, text: string): Promise<string | undefined> {
  const email = normalizeEmailAddress(text)
  return email === undefined ? undefined : (await findUserByEmail(db, email))?.id
}
