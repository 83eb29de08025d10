import { createHash, randomBytes } from 'node:crypto'
import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { AuthContext } from '../context.ts'
import { authProblems } from '../problems.ts'
import { putEmailToken, type TokenPurpose, takeEmailToken } from './store.ts'

const LIFETIME_SECONDS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: 24 * 3600,
  reset_password: 3600,
}

/** Makes the token of a mailed link: 256 random bits of which only the hash is kept. The one before stops to work. */
export async function newEmailToken(
  trx: Trx,
  { clock }: Pick<AuthContext, 'clock'>,
  { userId, purpose }: { userId: string; purpose: TokenPurpose },
): Promise<string> {
  const token = randomBytes(32).toString('base64url')
  const expiresAt = addSeconds(clock.now(), LIFETIME_SECONDS[purpose])
  await putEmailToken(trx, { userId, purpose, hash: hash(token), expiresAt })
  return token
}

/**
 * Uses up a mailed token.
 *
 * @returns the id of the user it was made for
 * @throws `invalid_token`
 */
export async function useEmailToken(
  trx: Trx,
  { clock }: Pick<AuthContext, 'clock'>,
  { token, purpose }: { token: string; purpose: TokenPurpose },
): Promise<string> {
  const userId = await takeEmailToken(trx, { purpose, hash: hash(token) }, clock.now())
  if (userId === undefined) throw authProblems.invalid_token()
  return userId
}

function hash(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
