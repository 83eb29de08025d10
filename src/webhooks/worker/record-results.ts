import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { sendMessage } from '../../platform/messages/mail.ts'
import type { WebhookDeps } from '../context.ts'
import { type Attempt, addAttempt } from '../deliveries/attempt.ts'
import { pruneEnded } from '../deliveries/store.ts'
import { type DisabledReason, setDisabled } from '../endpoints/store.ts'
import { FAILING_SECONDS, pauseAfter, retryAfter, retryDelay } from './schedule.ts'
import {
  type Claim,
  type EndpointHealth,
  type Health,
  lockEndpoints,
  lockHeld,
  type Outcome,
  recordOutcomes,
  setHealth,
} from './store.ts'

/** An attempt with the conclusions that the worker draws from it. */
export interface Result {
  claim: Claim
  attempt: Attempt
  /** False if no request was sent. Such a result shows nothing about the receiver. */
  isSent: boolean
  /** Whether a retry would be useless. */
  isFinal: boolean
}

const GONE = 410

/** Returns whether an attempt succeeded, which only a 2xx status means. */
export function isSuccess({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/**
 * Returns whether recording the result only changes the delivery: the request was not sent, or it succeeded and the
 * endpoint had no recent failures.
 */
export function isPlain({ claim, attempt, isSent }: Result): boolean {
  return !isSent || (isSuccess(attempt) && !claim.isFailing)
}

/**
 * Records results in one transaction: the outcome of each delivery, its next retry, and the health of the endpoints. If
 * another process has taken over the lease of a claim, its result is ignored, because that process will record its own.
 */
export async function recordResults(
  { db, clock, log }: Pick<WebhookDeps, 'db' | 'clock' | 'log'>,
  results: readonly Result[],
): Promise<void> {
  const at = clock.now()
  const disabled = await db.transaction().execute(async (trx) => {
    const judged = new Set(results.filter((result) => !isPlain(result)).map(({ claim }) => claim.endpointId))
    const endpoints = judged.size === 0 ? [] : await lockEndpoints(trx, [...judged])
    const claims = results.map(({ claim }) => claim)
    const held = new Set(await lockHeld(trx, claims))
    const noted = results.filter(({ claim }) => held.has(claim))
    const ended = noted.map((result) => endOf(result, at))
    if (noted.length > 0) await recordOutcomes(trx, ended, at)
    const disabled = await recordHealth(trx, endpoints, noted, at)
    await pruneEnded(trx, customersEndpoints(noted))
    return disabled
  })
  for (const { id, reason } of disabled) log.info({ endpointId: id, reason }, 'a webhook endpoint was disabled')
}

function customersEndpoints(results: readonly Result[]): string[] {
  return [...new Set(results.filter(({ claim }) => claim.isCustomers).map(({ claim }) => claim.endpointId))]
}

interface Disabled extends EndpointHealth {
  reason: AutomaticReason
}

/**
 * Records the health of endpoints, and disables those that failed for too long.
 *
 * @returns the endpoints that were disabled
 */
async function recordHealth(
  trx: Trx,
  endpoints: readonly EndpointHealth[],
  results: readonly Result[],
  at: Date,
): Promise<Disabled[]> {
  const verdicts = endpoints.map((endpoint) => {
    const own = results.filter(
      // The result of a request to an earlier URL shows nothing about the current one.
      ({ claim, isSent }) => isSent && claim.endpointId === endpoint.id && claim.url === endpoint.url,
    )
    return { endpoint, ...judge(endpoint, own, at) }
  })
  if (verdicts.length > 0) {
    await setHealth(
      trx,
      verdicts.map(({ health }) => health),
    )
  }
  const disabled = verdicts.flatMap(({ endpoint, reason }): Disabled[] =>
    reason === undefined || !endpoint.isEnabled ? [] : [{ ...endpoint, reason }],
  )
  for (const endpoint of disabled) {
    await setDisabled(trx, [endpoint.id], { reason: endpoint.reason, at })
    await mailDisabled(trx, endpoint, at)
  }
  return disabled
}

function endOf({ claim, attempt, isFinal }: Result, at: Date): Outcome {
  const { endpointId, subject, token, deliveryId } = claim
  const tries = claim.tries + 1
  const attempts = addAttempt(claim.attempts, attempt)
  const common = { endpointId, subject, token, deliveryId, tries, attempts }
  if (isSuccess(attempt)) return { ...common, status: 'delivered', nextAttemptAt: null }
  const delay = !isFinal && !claim.isTest && attempt.status !== GONE ? retryDelay(tries) : undefined
  if (delay === undefined) return { ...common, status: 'failed', nextAttemptAt: null }
  const asked = retryAfter(attempt.status ?? 0, attempt.responseHeaders?.['retry-after'], at)
  return { ...common, status: 'pending', nextAttemptAt: addSeconds(at, Math.max(delay, asked)) }
}

type AutomaticReason = Exclude<DisabledReason, 'by_owner'>

/** Returns the new health of an endpoint. If the endpoint must be disabled, also returns the reason. */
function judge(
  { id, ...before }: EndpointHealth,
  results: readonly Result[],
  at: Date,
): { health: Health; reason: AutomaticReason | undefined } {
  let { failures, failingSince } = before
  let reason: AutomaticReason | undefined
  for (const { claim, attempt } of results) {
    if (isSuccess(attempt)) {
      failures = 0
      failingSince = null
      continue
    }
    if (attempt.status === GONE) reason = 'gone'
    // Failed test events do not count against the endpoint.
    if (claim.isTest) continue
    failures += 1
    failingSince ??= new Date(attempt.at)
    if (isHopeless(claim, attempt, failingSince, at)) reason ??= 'failing'
  }
  const pause = pauseAfter(failures)
  return { health: { id, failures, failingSince, pausedUntil: pause === 0 ? null : addSeconds(at, pause) }, reason }
}

/**
 * Returns whether every request has failed for days, or since the first attempt of a delivery that has no retries left.
 */
function isHopeless({ tries, attempts }: Claim, attempt: Attempt, failingSince: Date, at: Date): boolean {
  if (failingSince <= addSeconds(at, -FAILING_SECONDS)) return true
  const isGivenUp = retryDelay(tries + 1) === undefined
  const first = [...attempts, attempt].at(-(tries + 1)) ?? attempt
  return isGivenUp && failingSince <= new Date(first.at)
}

const REASONS: Readonly<Record<AutomaticReason, string>> = {
  gone: 'The endpoint responded with 410 (Gone), which means that it no longer accepts events.',
  failing: 'The endpoint has accepted no event for days, although we retried many times.',
}

async function mailDisabled(trx: Trx, { id, url, ownerEmail, reason }: Disabled, at: Date): Promise<void> {
  const text = [
    `Your webhook endpoint ${id} (${new URL(url).host}) was disabled. The service no longer sends events to it.`,
    REASONS[reason],
    `/v1/webhook-endpoints/${id}/deliveries lists its deliveries and responses. When the endpoint works again, ` +
      'enable it with PATCH { "status": "enabled" }, and request a replay of the missed events.',
  ]
  const subject = 'A webhook endpoint was disabled'
  await sendMessage(
    trx,
    { channel: 'email', kind: 'webhook_disabled', to: ownerEmail, subject, text: `${text.join('\n\n')}\n` },
    at,
  )
}
