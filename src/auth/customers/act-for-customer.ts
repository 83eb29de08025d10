import { LRUCache } from 'lru-cache'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'
import { lazily } from '../../platform/lazily.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { CUSTOMER_PERMISSIONS } from '../access/permissions.ts'
import type { Audit } from '../audit/audit.ts'
import type { Client } from '../caller.ts'
import { isId } from '../ids.ts'
import { authProblems, customerProblems, impersonationProblems } from '../problems.ts'
import { customerIdOf, userIdOf } from '../users/customer-id.ts'
import { type Customer, findCustomer, findCustomerByExternalId } from './store.ts'

export interface ActingDeps {
  db: Db
  clock: Clock
  log: Log
  audit: Audit
}

/** A credential that acts for a customer is recorded again after this time. */
const RECORD_EVERY_MS = 3_600_000
const REMEMBERED = 10_000

const EXTERNAL = 'ext:'
const EXTERNAL_ID = /^[\x20-\x7e]{1,200}$/

/** Replaces operators and administrators by the customer that `Platen-Customer` names. */
export function createActing(deps: ActingDeps) {
  const recorded = lazily(() => new LRUCache<string, true>({ max: REMEMBERED, ttl: RECORD_EVERY_MS }))

  const record = (principal: Principal, customer: Customer, client: Client): void => {
    const pair = `${principal.credentialId} ${customer.userId}`
    if (recorded().has(pair)) return
    recorded().set(pair, true)
    const details = { credential: principal.credentialId, customer: customerIdOf(customer.userId) }
    const event = { type: 'customer_acted_for', userId: customer.userId, actor: principal.userId } as const
    deps.audit
      .record(deps.db, { ...event, method: principal.kind, client, details })
      .catch((error: unknown) => deps.log.warn({ err: error }, 'acting for a customer could not be recorded'))
  }

  /**
   * Returns the customer for whom the caller acts, with the permissions of the caller that a customer may have.
   *
   * @throws `validation_failed`, `insufficient_role`, `customer_unknown`, `customer_has_account`
   */
  return async ({ principal, header, route, client }: ActingRequest): Promise<Principal> => {
    if (route.guard?.takesCustomer !== true) throw invalidHeader('This operation does not accept the header.')
    if (principal.role === 'customer') throw authProblems.insufficient_role({ members: { requiredRole: 'operator' } })
    const customer = await find(deps.db, header)
    if (customer === undefined) throw customerProblems.customer_unknown()
    if (customer.kind === 'account') throw impersonationProblems.customer_has_account()
    record(principal, customer, client)
    const { kind, credentialId, userId: actorId, permissions: held } = principal
    const permissions = new Set([...CUSTOMER_PERMISSIONS].filter((permission) => held.has(permission)))
    const acting = { actorId, actorPermissions: held, userId: customer.userId, permissions }
    return { kind, credentialId, role: 'customer', staffRole: null, ...acting }
  }
}

export interface ActingRequest {
  principal: Principal
  /** The value of `Platen-Customer`. */
  header: string
  route: HttpRequest['routeOptions']['config']
  client: Client
}

async function find(db: Db, header: string): Promise<Customer | undefined> {
  if (header.startsWith(EXTERNAL)) {
    const externalId = header.slice(EXTERNAL.length)
    if (!EXTERNAL_ID.test(externalId)) throw invalidHeader('Send 1 to 200 printable ASCII characters after `ext:`.')
    return findCustomerByExternalId(db, externalId)
  }
  if (!isId('customer', header))
    throw invalidHeader('Send the id of a customer (`cus_...`), or `ext:` and an external id.')
  return findCustomer(db, userIdOf(header))
}

function invalidHeader(detail: string) {
  const errors = [{ code: 'wrong_format', header: 'Platen-Customer', detail }]
  return httpProblems.validation_failed({ detail: 'The header `Platen-Customer` is not valid here.', errors })
}
