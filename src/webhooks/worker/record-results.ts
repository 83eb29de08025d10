import { addSeconds } from '../../platform/clock.ts'
import type { Trx } from '../../platform/db/index.ts'
import { sendMessage } from '../../platform/mail.ts'
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

/** An attempt with what the worker concludes from it. */
export interface Result {
  claim: Claim
  attempt: Attempt
  /** False if no request was made, which says nothing about the receiver. */
  isSent: boolean
  /** A retry cannot help. */
  isFinal: boolean
}

const GONE = 410

/** Only a 2xx status. */
export function isSuccess({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** A success of an endpoint without recent failures: only the delivery has to be updated. */
export function isPlain({ claim, attempt, isSent }: Result): boolean {
  return !isSent || (isSuccess(attempt) && !claim.isFailing)
}

/**
 * Records results in one transaction: the outcome of each delivery, its next retry, and the health of the endpoints.
 * Results whose lease another process has taken over are ignored; that process records its own.
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

/** @returns the endpoints that were disabled by it */
async function recordHealth(
  trx: Trx,
  endpoints: readonly EndpointHealth[],
  results: readonly Result[],
  at: Date,
): Promise<Disabled[]> {
  const verdicts = endpoints.map((endpoint) => {
    const own = results.filter(
      // A result of a previous URL says nothing about the present one.
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

/** The new health of an endpoint, and why it is to be disabled, if it is. */
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
    // Failed test events do not make the health worse.
    if (claim.isTest) continue
    failures += 1
    failingSince ??= new Date(attempt.at)
    if (isHopeless(claim, attempt, failingSince, at)) reason ??= 'failing'
  }
  const pause = pauseAfter(failures)
  return { health: { id, failures, failingSince, pausedUntil: pause === 0 ? null : addSeconds(at, pause) }, reason }
}

/** Nothing was accepted for days, or during all attempts of an abandoned delivery. */
function isHopeless({ tries, attempts }: Claim, attempt: Attempt, failingSince: Date, at: Date): boolean {
  if (failingSince <= addSeconds(at, -FAILING_SECONDS)) return true
  const isGivenUp = retryDelay(tries + 1) === undefined
  const first = [...attempts, attempt].at(-(tries + 1)) ?? attempt
  return isGivenUp && failingSince <= new Date(first.at)
}

const REASONS: Readonly<Record<AutomaticReason, string>> = {
  gone: 'It responded with 410 (Gone), which means that it does not accept events any more.',
  failing: 'It has accepted nothing for days, although we retried many times.',
}

async function mailDisabled(trx: Trx, { id, url, ownerEmail, reason }: Disabled, at: Date): Promise<void> {
  const text = [
    `Your webhook endpoint ${id} (${new URL(url).host}) was disabled. The service sends nothing to it any more.`,
    REASONS[reason],
    `/v1/webhook-endpoints/${id}/deliveries lists its deliveries and responses. When the endpoint works again, ` +
      'enable it with PATCH { "status": "enabled" }, and request a replay of the missed events.',
  ]
  const subject = 'A webhook endpoint was disabled'
  await sendMessage(trx, { channel: 'email', to: ownerEmail, subject, text: `${text.join('\n\n')}\n` }, at)
}
