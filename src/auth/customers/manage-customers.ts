import type { Trx } from '../../platform/db/index.ts'
import type { Administrator } from '../audit/admin-acts.ts'
import type { Audit } from '../audit/audit.ts'
import type { SecurityEventType } from '../audit/events.ts'
import { newId } from '../ids.ts'
import { customerProblems } from '../problems.ts'
import type { EndSessionsDeps } from '../sessions/end-sessions.ts'
import { customerIdOf } from '../users/customer-id.ts'
import { requireEmailAddress } from '../users/email-address.ts'
import type { CustomerChanges, NewCustomerBody } from './schemas.ts'
import {
  type Customer,
  findCustomer,
  findCustomerByExternalId,
  insertCustomer,
  lockCustomer,
  updateCustomer,
} from './store.ts'

export type CustomerDeps = EndSessionsDeps & { audit: Audit }

/**
 * Creates a customer without an account.
 *
 * @throws `customer_exists` with the id of the customer that has the external id, `validation_failed`
 */
export async function createCustomer(
  trx: Trx,
  auth: CustomerDeps,
  operator: Administrator,
  { externalId, email = null, name = null, locale = null, metadata }: NewCustomerBody,
): Promise<Customer> {
  const userId = newId('user')
  const content = { externalId, email: checkedEmail(email), name, locale, metadata: asStored(metadata) }
  const added = { userId, kind: 'customer', ...content } as const
  await untilStored(trx, externalId, () => insertCustomer(trx, added, auth.clock.now()))
  await recordAct(trx, auth, operator, { type: 'customer_created', userId })
  return required(await findCustomer(trx, userId))
}

/**
 * Changes a customer. The email address of an account belongs to its owner.
 *
 * @throws `customer_not_found`, `customer_has_account`, `customer_exists`, `validation_failed`
 */
export async function changeCustomer(
  trx: Trx,
  auth: CustomerDeps,
  operator: Administrator,
  userId: string,
  body: CustomerChanges,
): Promise<Customer> {
  const { email, metadata, ...changes } = body
  const customer = required(await lockCustomer(trx, userId))
  if (email !== undefined && customer.kind === 'account') throw customerProblems.customer_has_account()
  const changed = {
    ...customer,
    ...changes,
    ...(email === undefined ? {} : { email: checkedEmail(email) }),
    ...(metadata === undefined ? {} : { metadata: asStored(metadata) }),
  }
  await untilStored(trx, changed.externalId ?? '', () => updateCustomer(trx, changed, auth.clock.now()))
  const details = { members: Object.keys(body).join(' ') }
  await recordAct(trx, auth, operator, { type: 'customer_changed', userId, details })
  return required(await findCustomer(trx, userId))
}

/** Records an act of an operator on a customer. */
export async function recordAct(
  trx: Trx,
  { audit }: { audit: Audit },
  { userId: actor, kind, credentialId, client }: Administrator,
  { details = {}, ...event }: { type: SecurityEventType; userId: string; details?: Record<string, string> },
): Promise<void> {
  const sessionId = kind === 'session' ? credentialId : null
  const key = kind === 'api_key' ? { key: credentialId } : {}
  await audit.record(trx, { ...event, actor, sessionId, client, method: kind, details: { ...key, ...details } })
}

export function required(customer: Customer | undefined): Customer {
  if (customer === undefined) throw customerProblems.customer_not_found()
  return customer
}

/** Limit of attempts when the customer with the external id is deleted at the same time. */
const TRIES = 5

/**
 * Stores a customer unless another one has its external id.
 *
 * @param store returns false if the external id is taken
 * @throws `customer_exists`
 */
async function untilStored(trx: Trx, externalId: string, store: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    if (await store()) return
    const other = await findCustomerByExternalId(trx, externalId)
    if (other === undefined) continue
    throw customerProblems.customer_exists({ members: { customerId: customerIdOf(other.userId) } })
  }
  throw new Error(`an external id was taken and free again ${TRIES} times during one request`)
}

function checkedEmail(email: string | null): string | null {
  return email === null ? null : requireEmailAddress(email, '/email')
}

function asStored(metadata: NewCustomerBody['metadata'] | null): Customer['metadata'] {
  return (metadata ?? null) as Customer['metadata']
}
