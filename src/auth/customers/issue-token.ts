import type { Config } from '../../config/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import { CUSTOMER_TOKEN_PERMISSIONS, type Permission } from '../access/permissions.ts'
import { lacksPermission } from '../http/refusals.ts'
import { impersonationProblems } from '../problems.ts'
import type { CustomerTokens } from './customer-token.ts'
import { type CustomerDeps, required } from './manage-customers.ts'
import type { TokenRequest } from './schemas.ts'
import { findCredentialExpiry, findCustomer } from './store.ts'

export type IssueDeps = CustomerDeps & { db: Db; customerTokens: CustomerTokens; config: Pick<Config, 'tokens'> }

const DEFAULT_SECONDS = 900

/**
 * Issues a token that acts as a customer without an account.
 *
 * @throws `customer_not_found`, `customer_has_account`, `insufficient_scope` for a permission that the issuer lacks
 */
export async function issueToken(
  auth: IssueDeps,
  issuer: Principal,
  userId: string,
  { permissions = [...CUSTOMER_TOKEN_PERMISSIONS], designId, expiresInSeconds = DEFAULT_SECONDS }: TokenRequest,
): Promise<{ token: string; expiresIn: number; permissions: readonly Permission[] }> {
  const customer = required(await findCustomer(auth.db, userId))
  if (customer.kind === 'account') throw impersonationProblems.customer_has_account()
  const missing = permissions.find((permission) => !issuer.permissions.has(permission))
  if (missing !== undefined) throw lacksPermission(issuer, missing)
  const expiresIn = await lifetimeOf(auth, issuer.credentialId, expiresInSeconds)
  const { userId: issuerId, credentialId } = issuer
  const content = { userId, issuerId, credentialId, permissions }
  const token = await auth.customerTokens.issue(designId === undefined ? content : { ...content, designId }, expiresIn)
  return { token, expiresIn, permissions }
}

/** A token outlives neither its API key nor the time for which a revocation is remembered. */
async function lifetimeOf({ db, clock, config }: IssueDeps, credentialId: string, wanted: number): Promise<number> {
  const end = await findCredentialExpiry(db, credentialId)
  const left = end === null ? wanted : Math.ceil((end.getTime() - clock.now().getTime()) / 1000)
  return Math.max(1, Math.min(wanted, left, config.tokens.accessSeconds))
}
