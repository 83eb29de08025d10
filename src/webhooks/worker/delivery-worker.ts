import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable } from '../../platform/db/connections/errors.ts'
import type { WebhookDeps } from '../context.ts'
import { withoutResponse } from '../deliveries/attempt.ts'
import { createLanes, type Lanes } from './lanes.ts'
import { createPump } from './pump.ts'
import { isPlain, isSuccess, type Result, recordResults } from './record-results.ts'
import { sendClaim } from './send-claim.ts'
import { type Claim, claimDue, type Lease, readClaimsAgain, releaseClaims } from './store.ts'

/**
 * Duration of a lease. After it, other processes can claim the deliveries that a killed process had claimed. It is
 * longer than the wait before sending (25 s) and the longest attempt (15 s) together.
 */
const LEASE_SECONDS = 45
/**
 * If the request of a claimed delivery has not started within this time, the delivery is returned to the queue. Its
 * lease then has enough time left.
 */
const BEGIN_WITHIN_MS = 25_000

/**
 * Deliveries that were claimed longer ago than this are read again before they are sent, because the endpoint, the role
 * of its owner or the event may have changed.
 */
const FRESH_MS = 500

const CLAIMED_AT_ONCE = 200
/** Less than `CLAIMED_AT_ONCE`, because the bodies are in memory twice for a short time. */
const READ_AGAIN_AT_ONCE = 50
const RECORDED_AT_ONCE = 200

/** Number of results that are not recorded yet at which nothing more is sent, because the database must be unavailable. */
const MAX_UNRECORDED = 1_000

/** Time for which `stop` waits for running requests. */
const STOP_MS = 5_000

/** Sends due deliveries. Several processes can share this work. */
export interface DeliveryWorker {
  /** Looks for due deliveries of these endpoints. If undefined, it looks for those of all endpoints. */
  poll(endpointIds?: Iterable<string>): void
  /** Returns the claimed deliveries of an endpoint to the queue, except those whose request has started. */
  release(endpointId: string): void
  /** Waits some seconds for running requests. Then it returns the other claimed deliveries to the queue. */
  stop(): Promise<void>
}

function only(places: ReadonlyMap<string, number>, endpointIds: readonly string[]): Map<string, number> {
  return new Map(
    endpointIds.flatMap((id) => {
      const found = places.get(id)
      return found === undefined ? [] : [[id, found]]
    }),
  )
}

function nameOf({ endpointId, subject, token }: Lease): string {
  return `${endpointId} ${subject} ${token}`
}

/**
 * Creates the worker.
 *
 * @param onProgress called when endpoints may have fewer pending deliveries than before
 */
export function createDeliveryWorker(
  deps: WebhookDeps,
  onProgress: () => void,
  lanes: Lanes = createLanes(),
): DeliveryWorker {
  const { db, clock, log, sender, attempts, hasFreeDisk, hiddenEvents } = deps
  let results: Result[] = []
  const returned: Lease[] = []
  const takenAtMs = new WeakMap<Claim, number>()
  /** Claims that `lanes` allows to start, but that must be read again before they are sent. */
  const aged: Claim[] = []
  let wanted: Set<string> | 'any' = new Set()
  let isStopping = false

  const polling = createPump(log, 'claiming webhook deliveries', async () => {
    if (isStopping || results.length >= MAX_UNRECORDED) return false
    const { known, ...others } = lanes.places()
    // The query knows which endpoints belong to staff.
    const mayHavePlace = (id: string): boolean => (known.get(id) ?? others.otherwise.staff) > 0
    const endpointIds = wanted === 'any' ? undefined : [...wanted].filter(mayHavePlace)
    wanted = new Set()
    if (endpointIds?.length === 0) return false
    // Every attempt adds data, so deliveries of customers wait while little disk space is free.
    const isStaffOnly = !(await hasFreeDisk())
    const lease = { token: randomUUID(), now: clock.now(), leaseSeconds: LEASE_SECONDS }
    // Measured before the query, because the lease begins during the query.
    const askedAtMs = performance.now()
    const places = endpointIds === undefined ? known : only(known, endpointIds)
    const claiming = { ...lease, ...others, places, endpointIds, isStaffOnly, limit: CLAIMED_AT_ONCE, hiddenEvents }
    const claims = await claimDue(db, claiming)
    for (const claim of claims) takenAtMs.set(claim, askedAtMs)
    lanes.add(claims)
    begin()
    if (claims.length === CLAIMED_AT_ONCE) wanted = 'any'
    return claims.length === CLAIMED_AT_ONCE
  })

  const recordBatch = async (batch: readonly Result[]): Promise<void> => {
    try {
      await recordResults(deps, batch)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      // If the database rejects one result, the other results of the batch must still be recorded.
      for (const result of batch) await recordOne(result)
    }
  }

  const recordOne = async (result: Result): Promise<void> => {
    for (const version of [result, { ...result, attempt: withoutResponse(result.attempt) }]) {
      try {
        return await recordResults(deps, [version])
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        log.error(
          { err: error, deliveryId: result.claim.deliveryId },
          'the result of a webhook delivery cannot be recorded',
        )
      }
    }
  }

  /** Records results, and returns whether more are waiting. */
  const record = async (): Promise<boolean> => {
    const back = returned.slice(0, RECORDED_AT_ONCE)
    if (back.length > 0) await releaseClaims(db, back, clock.now())
    returned.splice(0, back.length)
    // Recording failures takes longer, so results of endpoints without failures are recorded first.
    for (const chosen of [isPlain, (result: Result) => !isPlain(result)]) {
      const batch = results.filter(chosen).slice(0, RECORDED_AT_ONCE)
      if (batch.length === 0) continue
      await recordBatch(batch)
      const noted = new Set(batch)
      results = results.filter((result) => !noted.has(result))
      poll(batch.map(({ claim }) => claim.endpointId))
    }
    onProgress()
    return results.length > 0 || returned.length > 0
  }
  const recording = createPump(log, 'recording the results of webhook deliveries', record)

  const begin = (): void => {
    if (isStopping) return
    for (const claim of lanes.next()) {
      const isComplete = claim.body === undefined || claim.body.text !== undefined
      if (isComplete && ageMs(claim) <= FRESH_MS) start(claim, claim)
      else {
        aged.push(claim)
        readingAgain.ask()
      }
    }
  }

  const ageMs = (claim: Claim): number => performance.now() - (takenAtMs.get(claim) ?? 0)

  const readingAgain = createPump(log, 'reading claimed webhook deliveries again', async () => {
    const batch = aged.slice(0, READ_AGAIN_AT_ONCE)
    if (batch.length === 0 || isStopping) return false
    const current = new Map(
      (await readClaimsAgain(db, batch, deps.hiddenEvents)).map((claim) => [nameOf(claim), claim]),
    )
    aged.splice(0, batch.length)
    for (const claim of batch) start(claim, current.get(nameOf(claim)))
    return aged.length > 0
  })

  /**
   * Sends a claim.
   *
   * @param current the claim as the database has it now; undefined if it must no longer be sent
   */
  const start = (claim: Claim, current: Claim | undefined): void => {
    send(claim, current).catch((error: unknown) =>
      log.error({ err: error, deliveryId: claim.deliveryId }, 'sending a webhook delivery failed'),
    )
  }

  const send = async (claim: Claim, current: Claim | undefined): Promise<void> => {
    const isStale = ageMs(claim) > BEGIN_WITHIN_MS
    let result: Result | undefined
    try {
      result = isStale || current === undefined ? undefined : await sendClaim(deps, current)
    } finally {
      const isGood = result !== undefined && isSuccess(result.attempt)
      lanes.ended(claim, isGood)
      if (result === undefined) returned.push(claim)
      else results.push(result)
      // After this failure the endpoint may be paused, so its other claims are returned to the queue.
      if (result?.isSent === true && !isGood) returned.push(...lanes.takeBack(claim.endpointId))
      if (result?.isSent === true) attempts.inc({ outcome: isGood ? 'delivered' : 'failed' })
      recording.ask()
      begin()
      // Claims deliveries of other subjects now, before this result is recorded.
      if (lanes.isRunningLow(claim.endpointId)) poll([claim.endpointId])
    }
  }

  const poll = (endpointIds?: Iterable<string>): void => {
    if (endpointIds === undefined) wanted = 'any'
    else if (wanted !== 'any') for (const id of endpointIds) wanted.add(id)
    polling.ask()
  }

  return {
    poll,
    release: (endpointId) => {
      returned.push(...lanes.takeBack(endpointId))
      recording.ask()
    },
    stop: async () => {
      isStopping = true
      await polling.stop()
      await readingAgain.stop()
      await sender.close(AbortSignal.timeout(STOP_MS))
      // The promises of finished requests settle before this one, so that their results are recorded.
      await new Promise((resolve) => setImmediate(resolve))
      await recording.stop()
      returned.push(...aged, ...lanes.takeBack())
      try {
        while (await record());
      } catch (error) {
        log.warn(
          { err: error },
          'the results of the last webhook deliveries were not recorded; these deliveries will be sent again',
        )
      }
    },
  }
}
