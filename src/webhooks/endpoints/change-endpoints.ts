import { addSeconds } from '../../platform/clock.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import { defineJob } from '../../platform/jobs/jobs.ts'
import type { WebhookDeps } from '../context.ts'
import { newId } from '../ids.ts'
import { webhookProblems } from '../problems.ts'
import type { EndpointChangeBody, NewEndpointBody } from './schemas.ts'
import { newSecret } from './secrets.ts'
import {
  countEndpoints,
  type Endpoint,
  type EndpointKey,
  findEndpoint,
  insertEndpoint,
  lockAdding,
  lockEndpoint,
  makeAllDue,
  replaceSecret,
  resetHealth,
  setDeleted,
  setDisabled,
  setEnabled,
  updateEndpoint,
} from './store.ts'

/** The job that deletes the rows of deleted endpoints. */
export const purgeJob = defineJob('webhooks.purge')

/** Deletes the rows of deleted endpoints later. Without a queue, many purges would take the places of all other jobs. */
export async function enqueuePurge(trx: Trx): Promise<void> {
  await purgeJob.enqueue(trx, {}, { key: purgeJob.name, queue: purgeJob.name })
}

/** Maximum number of endpoints of one account. */
const MAX_ENDPOINTS = 20

/**
 * Checks the URL of an endpoint. The check needs DNS, so it must run outside of transactions.
 *
 * @throws `webhook_url_refused`
 */
export async function requireTarget({ sender }: Pick<WebhookDeps, 'sender'>, url: string): Promise<void> {
  const fault = await sender.checkTarget(url)
  if (fault === undefined) return
  const errors = [{ code: 'webhook_url_refused', pointer: '/url', detail: fault }]
  throw webhookProblems.webhook_url_refused({ detail: fault, errors })
}

/**
 * Creates an endpoint. Call `requireTarget` before, outside of the transaction.
 *
 * @throws `too_many_webhook_endpoints`
 */
export async function createEndpoint(
  trx: Trx,
  { box, clock }: Pick<WebhookDeps, 'box' | 'clock'>,
  ownerId: string,
  { url, types = null, description = null }: NewEndpointBody,
): Promise<{ endpoint: Endpoint; secret: string }> {
  await lockAdding(trx, ownerId)
  if ((await countEndpoints(trx, ownerId)) >= MAX_ENDPOINTS) throw webhookProblems.too_many_webhook_endpoints()
  const id = newId('webhookEndpoint')
  const { secret, sealed } = newSecret(box, id)
  const createdAt = clock.now()
  const wanted = { id, ownerId, url, types, description, createdAt, secretSealed: sealed }
  return { endpoint: await insertEndpoint(trx, wanted), secret }
}

/**
 * Changes an endpoint. If the URL changes, call `requireTarget` before.
 *
 * @throws `webhook_endpoint_not_found`
 */
export async function changeEndpoint(
  { db, clock }: Pick<WebhookDeps, 'db' | 'clock'>,
  key: EndpointKey,
  { status, ...changes }: EndpointChangeBody,
): Promise<Endpoint> {
  return db.transaction().execute(async (trx) => {
    const present = await requireLocked(trx, key)
    const updatedAt = clock.now()
    await updateEndpoint(trx, { ...present, ...changes, updatedAt })
    const isMoved = changes.url !== undefined && changes.url !== present.url
    const isEnabled = status === 'enabled' && present.status === 'disabled'
    // Failures at the old URL do not show that the new one fails.
    if (isMoved) await resetHealth(trx, present.id)
    if (isEnabled) await setEnabled(trx, present.id)
    if (isMoved || isEnabled) await makeAllDue(trx, present.id, updatedAt)
    if (status === 'disabled') await setDisabled(trx, [present.id], { reason: 'by_owner', at: updatedAt })
    return requireLocked(trx, key)
  })
}

/**
 * Replaces the secret of an endpoint. During the overlap, requests are signed with the previous secret, too. At most
 * two secrets are in use at a time.
 *
 * @throws `webhook_endpoint_not_found`
 */
export async function rotateSecret(
  trx: Trx,
  { box, clock }: Pick<WebhookDeps, 'box' | 'clock'>,
  key: EndpointKey,
  overlapSeconds: number,
): Promise<string> {
  const { id } = await requireLocked(trx, key)
  const { secret, sealed } = newSecret(box, id)
  const at = clock.now()
  await replaceSecret(trx, { id, secretSealed: sealed, previousUntil: addSeconds(at, overlapSeconds), at })
  return secret
}

/**
 * Deletes an endpoint. Its deliveries are deleted later by a job.
 *
 * @throws `webhook_endpoint_not_found`
 */
export async function deleteEndpoint(
  { db, clock }: Pick<WebhookDeps, 'db' | 'clock'>,
  { id, ownerId }: EndpointKey,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await requireLocked(trx, { id, ownerId })
    await setDeleted(trx, { ownerId, id }, clock.now())
    await enqueuePurge(trx)
  })
}

/** Finds an endpoint of an account. @throws `webhook_endpoint_not_found` */
export async function requireEndpoint(db: Db, key: EndpointKey): Promise<Endpoint> {
  const endpoint = await findEndpoint(db, key)
  if (endpoint === undefined) throw webhookProblems.webhook_endpoint_not_found()
  return endpoint
}

/**
 * Locks an endpoint until the transaction ends.
 *
 * @throws `webhook_endpoint_not_found`
 */
export async function requireLocked(trx: Trx, key: EndpointKey): Promise<Endpoint> {
  const endpoint = await lockEndpoint(trx, key)
  if (endpoint === undefined) throw webhookProblems.webhook_endpoint_not_found()
  return endpoint
}
