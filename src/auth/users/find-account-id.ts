import type { Db } from '../../platform/db/index.ts'
import { normalizeEmailAddress } from './email-address.ts'
import { findUserByEmail } from './store.ts'

/**
 * Finds the id of the account that has this email address. The text is normalized first. Only operators may use it,
 * because it reveals which accounts exist.
 */
export async function findAccountId(db: Db, text: string): Promise<string | undefined> {
  const email = normalizeEmailAddress(text)
  return email === undefined ? undefined : (await findUserByEmail(db, email))?.id
}
