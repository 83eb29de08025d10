import type { Db } from '../../platform/db/index.ts'
import { normalizeEmailAddress } from './email-address.ts'
import { findUserByEmail } from './store.ts'

/** Finds the account with this email address, in any spelling. For operators only: it reveals which accounts exist. */
export async function findAccountId(db: Db, text: string): Promise<string | undefined> {
  const email = normalizeEmailAddress(text)
  return email === undefined ? undefined : (await findUserByEmail(db, email))?.id
}
