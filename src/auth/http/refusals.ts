import type { Principal, Role } from '../../platform/http/core/principal.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'
import type { Problem } from '../../platform/problem.ts'
import { CUSTOMER_PERMISSIONS, type Permission, permissionsOf } from '../access/permissions.ts'
import { authProblems, credentialNotAccepted } from '../problems.ts'

const NOT_FOR_TOKENS = 'Customer tokens cannot use this operation. Call it from your server with an API key.'
const TOKENS_NEED_SESSION = 'Customer tokens cannot use this operation. It needs the session of an account.'
const NOT_FOR_GUESTS = 'Guests cannot use this operation. Register or sign in first.'

/** The error for a credential that may not do something (RFC 6750, section 3.1). */
export function insufficientScope(permission: Permission, detail: string): Problem {
  const challenge = `Bearer realm="platen", error="insufficient_scope", scope="${permission}"`
  const headers = { 'WWW-Authenticate': challenge }
  return authProblems.insufficient_scope({ headers, members: { permission }, detail })
}

export function lacksPermission(principal: Principal, permission: Permission): Problem {
  const detail = `This credential lacks \`${permission}\`. ${helpFor(principal, permission)}`
  return insufficientScope(permission, detail)
}

/** Returns what the caller can do about a missing permission. */
function helpFor({ kind, role, staffRole }: Principal, permission: Permission): string {
  const isOfCustomers = CUSTOMER_PERMISSIONS.has(permission)
  if (kind === 'customer_token')
    return isOfCustomers ? `Issue a customer token with \`${permission}\`.` : NOT_FOR_TOKENS
  if (kind === 'guest') return NOT_FOR_GUESTS
  if (!permissionsOf({ role, staffRole }).has(permission))
    return role === 'operator' && staffRole !== null
      ? `The staff role \`${staffRole}\` does not include it.`
      : `The role \`${role}\` does not include it.`
  return 'Create an API key that has it.'
}

export function insufficientRole({ kind, role }: Principal, requiredRole: Role): Problem {
  const members = { requiredRole }
  if (kind === 'customer_token') return authProblems.insufficient_role({ members, detail: NOT_FOR_TOKENS })
  if (kind === 'guest') return authProblems.insufficient_role({ members, detail: NOT_FOR_GUESTS })
  const detail = `This operation needs an account in the role \`${requiredRole}\`. The account has the role \`${role}\`.`
  return authProblems.insufficient_role({ members, detail })
}

export function sessionRequired({ kind }: Principal): Problem {
  if (kind === 'customer_token') return authProblems.session_required(TOKENS_NEED_SESSION)
  return kind === 'guest' ? authProblems.session_required(NOT_FOR_GUESTS) : authProblems.session_required()
}

/** Returns the error for a request whose `Authorization` header contains no valid credential. */
export function notAccepted({ headers }: HttpRequest): Problem {
  const [scheme = '', credential] = (headers.authorization ?? '').trim().split(/ +/, 2)
  if (scheme.toLowerCase() !== 'bearer') return credentialNotAccepted(NO_SCHEME)
  if (credential === undefined) return credentialNotAccepted(NO_CREDENTIAL)
  return credentialNotAccepted(credential.startsWith('platen_') ? KEY_UNKNOWN : undefined)
}

const NO_SCHEME = 'The `Authorization` header must contain `Bearer`, a space, and the API key or access token.'
const NO_CREDENTIAL = 'The `Authorization` header contains no credential after `Bearer`. Check that the API key is set.'
const KEY_UNKNOWN =
  'This API key is not valid here. Check that it is complete and belongs to this installation. It may also have been revoked or have expired.'
