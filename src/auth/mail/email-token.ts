import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { authProblems } from '../problems.ts'
import { lockUser, type User } from '../users/store.ts'
import { type EmailChange, findEmailToken, putEmailToken, type TokenPurpose, takeEmailToken } from './store.ts'

const LIFETIME_SECONDS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: 24 * 3600,
  reset_password: 3600,
  change_email: 3600,
}

/**
 * Creates the token of a mailed link: 256 random bits, stored as a hash. It replaces the previous token of the user for
 * the same purpose.
 *
 * @param change for the purpose `change_email`: the change that the token confirms
 */
export async function newEmailToken(
  trx: Trx,
  { clock }: { clock: Clock },
  { userId, purpose, change }: { userId: string; purpose: TokenPurpose; change?: EmailChange },
): Promise<string> {
  const token = newSecret()
  const expiresAt = addSeconds(clock.now(), LIFETIME_SECONDS[purpose])
  await putEmailToken(trx, { userId, purpose, hash: hashSecret(token), expiresAt, change })
  return token
}

export interface MailedToken {
  token: string
  purpose: TokenPurpose
}

/**
 * Finds the user of a mailed token without consuming the token.
 *
 * @throws `invalid_token`
 */
export async function readEmailToken(
  db: Db | Trx,
  { clock }: { clock: Clock },
  { token, purpose }: MailedToken,
): Promise<string> {
  const userId = await findEmailToken(db, { purpose, hash: hashSecret(token) }, clock.now())
  if (userId === undefined) throw authProblems.invalid_token()
  return userId
}

/**
 * Consumes a mailed token and locks its user. The user is locked first, because every transaction that changes the
 * tokens of a user locks the user before them.
 *
 * @throws `invalid_token`
 */
export async function useEmailToken(trx: Trx, auth: { clock: Clock }, given: MailedToken): Promise<UsedToken> {
  const user = await lockUser(trx, await readEmailToken(trx, auth, given), 'update')
  const used = await takeEmailToken(trx, { purpose: given.purpose, hash: hashSecret(given.token) }, auth.clock.now())
  if (user === undefined || used === undefined) throw authProblems.invalid_token()
  return { user, ...used }
}

export interface UsedToken {
  user: User
  /** Undefined unless the purpose is `change_email`. */
  change: EmailChange | undefined
}
