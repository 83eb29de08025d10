import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable } from '../../platform/db/errors.ts'
import type { WebhookDeps } from '../context.ts'
import { withoutResponse } from '../deliveries/attempt.ts'
import { createLanes } from './lanes.ts'
import { createPump } from './pump.ts'
import { isPlain, isSuccess, type Result, recordResults } from './record-results.ts'
import { sendClaim } from './send-claim.ts'
import { type Claim, claimDue, type Lease, readClaimsAgain, releaseClaims } from './store.ts'

/** How long a lease lasts. After that, other processes claim the deliveries of a killed process. It is longer than the wait before sending (25 s) and the longest attempt (15 s) together. */
const LEASE_SECONDS = 45
/** A claim whose request has not started within this time is returned, well before its lease expires. */
const BEGIN_WITHIN_MS = 25_000

/** Older claims are read again before sending: the endpoint, its owner's role or the event may have changed. */
const FRESH_MS = 500

const CLAIMED_AT_ONCE = 200
/** Less than `CLAIMED_AT_ONCE`, because their bodies are briefly in memory twice. */
const READ_AGAIN_AT_ONCE = 50
const RECORDED_AT_ONCE = 200

/** With so many unrecorded results the database is down, and nothing more is sent. */
const MAX_UNRECORDED = 1_000

/** How long `stop` waits for running requests. */
const STOP_MS = 5_000

/** Sends due deliveries. Several processes may share the work. */
export interface DeliveryWorker {
  /** Polls for due deliveries of these endpoints; undefined: of all. */
  poll(endpointIds?: Iterable<string>): void
  /** Returns the claims of an endpoint whose requests have not started. */
  release(endpointId: string): void
  /** Waits some seconds for running requests and returns all other claims. */
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

/** @param onProgress called when endpoints may have fewer pending deliveries than before */
export function createDeliveryWorker(deps: WebhookDeps, onProgress: () => void): DeliveryWorker {
  const { db, clock, log, sender, attempts, hasFreeDisk } = deps
  const lanes = createLanes()
  let results: Result[] = []
  const returned: Lease[] = []
  const takenAtMs = new WeakMap<Claim, number>()
  /** Claims that occupy a slot of their lane and are read again first. */
  const aged: Claim[] = []
  let wanted: Set<string> | 'any' = new Set()
  let isStopping = false

  const polling = createPump(log, 'taking deliveries', async () => {
    if (isStopping || results.length >= MAX_UNRECORDED) return false
    const { known, otherwise } = lanes.places()
    const endpointIds = wanted === 'any' ? undefined : [...wanted].filter((id) => (known.get(id) ?? otherwise) > 0)
    wanted = new Set()
    if (endpointIds?.length === 0) return false
    // Every attempt is stored, so customers' deliveries wait while the database needs the disk space.
    const isStaffOnly = !(await hasFreeDisk())
    const lease = { token: randomUUID(), now: clock.now(), leaseSeconds: LEASE_SECONDS }
    // Measured before the query, because the lease starts during it.
    const askedAtMs = performance.now()
    const places = endpointIds === undefined ? known : only(known, endpointIds)
    const claims = await claimDue(db, { ...lease, places, otherwise, endpointIds, isStaffOnly, limit: CLAIMED_AT_ONCE })
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
      // One result that the database rejects must not prevent the others from being recorded.
      for (const result of batch) await recordOne(result)
    }
  }

  const recordOne = async (result: Result): Promise<void> => {
    for (const version of [result, { ...result, attempt: withoutResponse(result.attempt) }]) {
      try {
        return await recordResults(deps, [version])
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        log.error({ err: error, deliveryId: result.claim.deliveryId }, 'the result of a delivery cannot be noted')
      }
    }
  }

  /** Returns whether there is more to record. */
  const record = async (): Promise<boolean> => {
    const back = returned.slice(0, RECORDED_AT_ONCE)
    if (back.length > 0) await releaseClaims(db, back, clock.now())
    returned.splice(0, back.length)
    // Failures take longer to record. Successful endpoints do not wait for them.
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
  const recording = createPump(log, 'noting deliveries', record)

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

  const readingAgain = createPump(log, 'reading deliveries again', async () => {
    const batch = aged.slice(0, READ_AGAIN_AT_ONCE)
    if (batch.length === 0 || isStopping) return false
    const current = new Map((await readClaimsAgain(db, batch)).map((claim) => [nameOf(claim), claim]))
    aged.splice(0, batch.length)
    for (const claim of batch) start(claim, current.get(nameOf(claim)))
    return aged.length > 0
  })

  /** @param current the claim as it is in the database now; undefined if it must not be sent any more */
  const start = (claim: Claim, current: Claim | undefined): void => {
    send(claim, current).catch((error: unknown) =>
      log.error({ err: error, deliveryId: claim.deliveryId }, 'a delivery failed'),
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
      // The endpoint may be paused after this failure, so its other claims are returned.
      if (result?.isSent === true && !isGood) returned.push(...lanes.takeBack(claim.endpointId))
      if (result?.isSent === true) attempts.inc({ outcome: isGood ? 'delivered' : 'failed' })
      recording.ask()
      begin()
      // Claims other subjects without waiting for this result to be recorded.
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
      // The promises of finished requests settle first, so that their results are recorded.
      await new Promise((resolve) => setImmediate(resolve))
      await recording.stop()
      returned.push(...aged, ...lanes.takeBack())
      try {
        while (await record());
      } catch (error) {
        log.warn({ err: error }, 'the last deliveries were not noted; they are sent again')
      }
    },
  }
}
