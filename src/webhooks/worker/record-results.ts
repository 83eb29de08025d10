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
  type Ended,
  type EndpointHealth,
  type Health,
  lockEndpoints,
  lockHeld,
  recordEnded,
  setHealth,
} from './store.ts'

/** One try, and what came of it. */
export interface Result {
  claim: Claim
  attempt: Attempt
  /** False where nothing was sent: that says nothing about the receiver. */
  isSent: boolean
  /** Trying again cannot help. */
  isFinal: boolean
}

const GONE = 410

/** 2xx, and nothing else. */
export function isSuccess({ status }: Pick<Attempt, 'status'>): boolean {
  return status !== undefined && status >= 200 && status < 300
}

/** A success of an endpoint that was well before: nothing about it has to be noted but the delivery. */
export function isPlain({ claim, attempt, isSent }: Result): boolean {
  return !isSent || (isSuccess(attempt) && !claim.isFailing)
}

/**
 * Notes results together, in one transaction: what became of the deliveries, when failed ones are tried again, and how the
 * endpoints are. Results whose lease somebody else has taken over meanwhile are theirs to note.
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
    if (noted.length > 0) await recordEnded(trx, ended, at)
    const disabled = await recordHealth(trx, endpoints, noted, at)
    await pruneEnded(trx, customersEndpoints(noted))
    return disabled
  })
  for (const { id, reason } of disabled) log.info({ endpointId: id, reason }, 'a webhook endpoint was disabled')
}

/** The endpoints of customers among the results. */
function customersEndpoints(results: readonly Result[]): string[] {
  return [...new Set(results.filter(({ claim }) => claim.isCustomers).map(({ claim }) => claim.endpointId))]
}

interface Disabled extends EndpointHealth {
  reason: AutomaticReason
}

/** @returns the endpoints that are disabled from now on */
async function recordHealth(
  trx: Trx,
  endpoints: readonly EndpointHealth[],
  results: readonly Result[],
  at: Date,
): Promise<Disabled[]> {
  const verdicts = endpoints.map((endpoint) => {
    const own = results.filter(
      // What came of an address it has no more says nothing about it.
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

function endOf({ claim, attempt, isFinal }: Result, at: Date): Ended {
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

/** How an endpoint is after these results, and why it is to be disabled, if it is. */
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
    // Somebody who tries out whether it works yet does not make it worse.
    if (claim.isTest) continue
    failures += 1
    failingSince ??= new Date(attempt.at)
    if (isHopeless(claim, attempt, failingSince, at)) reason ??= 'failing'
  }
  const pause = pauseAfter(failures)
  return { health: { id, failures, failingSince, pausedUntil: pause === 0 ? null : addSeconds(at, pause) }, reason }
}

/** It has accepted nothing for days, or for as long as a delivery was tried until it was given up. */
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
