import { limitOperation } from '../../auth/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { readTimestamp } from '../../platform/http/input/timestamps.ts'
import { newEventId } from '../../platform/outbox/index.ts'
import { Problem } from '../../platform/problem.ts'
import type { WebhookDeps } from '../context.ts'
import { requireLocked } from '../endpoints/change-endpoints.ts'
import { toEndpointBody } from '../endpoints/schemas.ts'
import { type Endpoint, type EndpointKey, endPause, lockAdding } from '../endpoints/store.ts'
import type { HiddenEvents } from '../hidden-events.ts'
import { webhookProblems } from '../problems.ts'
import {
  AT_ONCE,
  countPending,
  type Delivery,
  findDelivery,
  hasEvent,
  insertDeliveries,
  listReplayed,
  makeDue,
  type NewDelivery,
  TEST_EVENT_TYPE,
} from './store.ts'

/**
 * Maximum number of events that one replay delivers. The replay is one transaction, and other transactions wait for its
 * locks.
 */
const MAX_REPLAYED = 10_000

/**
 * Number of pending deliveries at which replays and tests are rejected, so that repeated requests do not fill the
 * database. See `countPending`.
 */
const MAX_PENDING = 10_000

type Asking = Pick<WebhookDeps, 'clock' | 'hiddenEvents'>

/**
 * Makes a delivery due at once, even if it was delivered or has failed. Pending deliveries of the same subject that are
 * older are sent before it.
 *
 * @throws `webhook_endpoint_not_found`, `webhook_endpoint_disabled`, `webhook_delivery_not_found`,
 * `webhook_event_expired`, `webhook_event_not_permitted`
 */
export async function retryDelivery(
  trx: Trx,
  { hiddenEvents }: Pick<Asking, 'hiddenEvents'>,
  key: EndpointKey,
  deliveryId: string,
): Promise<Delivery> {
  const endpoint = await requireEnabled(trx, key)
  const address = { id: deliveryId, endpointId: endpoint.id }
  const delivery = await requireDelivery(trx, address, hiddenEvents)
  if (delivery.body === undefined) {
    const isKept = await hasEvent(trx, delivery.eventId)
    throw isKept ? webhookProblems.webhook_event_not_permitted() : webhookProblems.webhook_event_expired()
  }
  await makeDue(trx, address)
  return requireDelivery(trx, address, hiddenEvents)
}

/**
 * Creates new deliveries of past events, in the order of the events. Pending deliveries are not changed.
 *
 * @returns how many deliveries were created
 * @throws `webhook_endpoint_not_found`, `webhook_endpoint_disabled`, `too_many_pending_deliveries`, `replay_too_large`,
 * `validation_failed`, `rate_limited`
 */
export async function replayEvents(
  trx: Trx,
  { clock, hiddenEvents }: Asking,
  { userId, role }: Pick<Principal, 'userId' | 'role'>,
  id: string,
  wanted: { from: string; to?: string },
): Promise<number> {
  const at = clock.now()
  const from = readTimestamp(wanted.from, '/from')
  const to = wanted.to === undefined ? at : readTimestamp(wanted.to, '/to')
  if (to < from) throw endsBeforeItBegins()
  await lockAdding(trx, userId)
  const { id: endpointId } = await requireEnabled(trx, { id, ownerId: userId })
  await requireRoom(trx, endpointId)
  await limitOperation(trx, replayOf({ userId, role }), at)
  const events = await listReplayed(trx, { endpointId, from, to, limit: MAX_REPLAYED + 1, hiddenEvents })
  if (events.length > MAX_REPLAYED) throw webhookProblems.replay_too_large()
  await insertDeliveries(
    trx,
    events.map((event): NewDelivery => ({ ...event, endpointId })),
    at,
  )
  return events.length
}

/**
 * Counts a replay that was refused because of its size. It has read as much as any other, but its transaction, which
 * counts replays, was rolled back.
 *
 * @throws the error of the replay, or `rate_limited`
 */
export async function countRefusedReplay(
  { db, clock }: Pick<WebhookDeps, 'db' | 'clock'>,
  caller: Pick<Principal, 'userId' | 'role'>,
  error: unknown,
): Promise<never> {
  const isTooLarge =
    error instanceof Problem && error.code === ('replay_too_large' satisfies keyof typeof webhookProblems)
  if (isTooLarge) await limitOperation(db, replayOf(caller), clock.now())
  throw error
}

function replayOf({ userId, role }: Pick<Principal, 'userId' | 'role'>) {
  const operation = role === 'customer' ? 'replay_webhook' : 'replay_staff_webhook'
  return { userId, operation } as const
}

/**
 * Creates a delivery of a test event. It is sent once, and the log of deliveries shows the outcome.
 *
 * @throws `webhook_endpoint_not_found`, `webhook_endpoint_disabled`, `too_many_pending_deliveries`, `rate_limited`
 */
export async function sendTestEvent(
  trx: Trx,
  { clock, hiddenEvents }: Asking,
  { userId, role }: Pick<Principal, 'userId' | 'role'>,
  id: string,
): Promise<Delivery> {
  await lockAdding(trx, userId)
  const endpoint = await requireEnabled(trx, { id, ownerId: userId })
  await requireRoom(trx, endpoint.id)
  const at = clock.now()
  const operation = role === 'customer' ? 'test_webhook' : 'test_staff_webhook'
  await limitOperation(trx, { userId, operation }, at)
  const eventId = newEventId()
  // The URL may contain a password, which must not be stored in a log.
  const { url: _, previousSecretEndsAt: _ends, failingSince: _since, ...data } = toEndpointBody(endpoint, at)
  const payload = {
    id: eventId,
    type: TEST_EVENT_TYPE,
    createdAt: at.toISOString(),
    sequence: 1,
    subject: endpoint.id,
    data,
  }
  // The subject is unique, so the test does not wait for other deliveries.
  const test = { endpointId: endpoint.id, eventId, eventType: TEST_EVENT_TYPE, subject: eventId, payload }
  const [deliveryId = ''] = await insertDeliveries(trx, [test], at, AT_ONCE)
  return requireDelivery(trx, { id: deliveryId, endpointId: endpoint.id }, hiddenEvents)
}

/**
 * Locks an endpoint, which must be enabled, and ends its pause after failures, because its owner expects a request now.
 */
async function requireEnabled(trx: Trx, key: EndpointKey): Promise<Endpoint> {
  const endpoint = await requireLocked(trx, key)
  if (endpoint.status === 'disabled') throw webhookProblems.webhook_endpoint_disabled()
  await endPause(trx, endpoint.id)
  return endpoint
}

/**
 * Rejects further deliveries if the endpoint has too many pending ones. Call `lockAdding` before, so that two
 * concurrent requests cannot both pass.
 */
async function requireRoom(trx: Trx, endpointId: string): Promise<void> {
  const pending = await countPending(trx, endpointId, MAX_PENDING)
  if (pending >= MAX_PENDING) throw webhookProblems.too_many_pending_deliveries()
}

async function requireDelivery(
  trx: Trx,
  address: { id: string; endpointId: string },
  hiddenEvents: HiddenEvents,
): Promise<Delivery> {
  const delivery = await findDelivery(trx, address, hiddenEvents)
  if (delivery === undefined) throw webhookProblems.webhook_delivery_not_found()
  return delivery
}

function endsBeforeItBegins() {
  const detail = 'Expected a timestamp that is not before `from`.'
  return httpProblems.validation_failed({
    detail: 'The body does not match its schema.',
    errors: [{ code: 'out_of_range', pointer: '/to', detail }],
  })
}
