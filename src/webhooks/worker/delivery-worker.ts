import { randomUUID } from 'node:crypto'
import { isDatabaseUnavailable } from '../../platform/db/errors.ts'
import type { WebhookDeps } from '../context.ts'
import { withoutAnswer } from '../deliveries/attempt.ts'
import { createLanes } from './lanes.ts'
import { createPump } from './pump.ts'
import { isPlain, isSuccess, type Result, recordResults } from './record-results.ts'
import { sendClaim } from './send-claim.ts'
import { type Claim, claimDue, type Held, readClaimsAgain, releaseClaims } from './store.ts'

/** How long what a killed process had taken is waited for. An attempt takes 15 s at most. */
const LEASE_SECONDS = 45
/** What was taken and could not be begun within this time is given back. */
const BEGIN_WITHIN_MS = 25_000

/** What has waited longer is read again first: others may have changed who may see it, and where it goes. */
const FRESH_MS = 500

const CLAIMED_AT_ONCE = 200
/** Fewer, since their bodies are in memory twice for a moment. */
const READ_AGAIN_AT_ONCE = 50
const RECORDED_AT_ONCE = 200

/** While so many results could not be noted nothing more is sent: the database is away. */
const MAX_UNRECORDED = 1_000

/** How long a stop waits for what is under way. */
const STOP_MS = 5_000

/** Sends what is due. Several processes share it. */
export interface DeliveryWorker {
  /** There may be something due for these endpoints; undefined: for any. */
  look(endpointIds?: Iterable<string>): void
  /** Gives back what was taken for an endpoint and is not under way. */
  giveBack(endpointId: string): void
  /** Lets what is under way end for some seconds, and gives the rest back. */
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

function nameOf({ endpointId, subject, token }: Held): string {
  return `${endpointId} ${subject} ${token}`
}

/** @param onProgress called when endpoints have less to receive than before */
export function createDeliveryWorker(deps: WebhookDeps, onProgress: () => void): DeliveryWorker {
  const { db, clock, log, sender, attempts, hasFreeDisk } = deps
  const lanes = createLanes()
  let results: Result[] = []
  const given: Held[] = []
  const takenAtMs = new WeakMap<Claim, number>()
  /** Have a place, and are read again. */
  const aged: Claim[] = []
  let wanted: Set<string> | 'any' = new Set()
  let isStopping = false

  const looking = createPump(log, 'taking deliveries', async () => {
    if (isStopping || results.length >= MAX_UNRECORDED) return false
    const { known, otherwise } = lanes.places()
    const endpointIds = wanted === 'any' ? undefined : [...wanted].filter((id) => (known.get(id) ?? otherwise) > 0)
    wanted = new Set()
    if (endpointIds?.length === 0) return false
    // Every attempt is stored: customers' deliveries wait while the database needs the disk.
    const isStaffOnly = !(await hasFreeDisk())
    const lease = { token: randomUUID(), now: clock.now(), leaseSeconds: LEASE_SECONDS }
    // Before the lease begins, which the answer may be long after.
    const askedAtMs = performance.now()
    const places = endpointIds === undefined ? known : only(known, endpointIds)
    const claims = await claimDue(db, { ...lease, places, otherwise, endpointIds, isStaffOnly, limit: CLAIMED_AT_ONCE })
    for (const claim of claims) takenAtMs.set(claim, askedAtMs)
    lanes.add(claims)
    begin()
    if (claims.length === CLAIMED_AT_ONCE) wanted = 'any'
    return claims.length === CLAIMED_AT_ONCE
  })

  const note = async (batch: readonly Result[]): Promise<void> => {
    try {
      await recordResults(deps, batch)
    } catch (error) {
      if (isDatabaseUnavailable(error)) throw error
      // One that the database refuses must not keep all others from being noted.
      for (const result of batch) await noteAlone(result)
    }
  }

  const noteAlone = async (result: Result): Promise<void> => {
    for (const version of [result, { ...result, attempt: withoutAnswer(result.attempt) }]) {
      try {
        return await recordResults(deps, [version])
      } catch (error) {
        if (isDatabaseUnavailable(error)) throw error
        log.error({ err: error, deliveryId: result.claim.deliveryId }, 'the result of a delivery cannot be noted')
      }
    }
  }

  /** Tells whether there is more. */
  const record = async (): Promise<boolean> => {
    const back = given.slice(0, RECORDED_AT_ONCE)
    if (back.length > 0) await releaseClaims(db, back, clock.now())
    given.splice(0, back.length)
    // Noting failures takes longer. Endpoints that work do not wait for it.
    for (const chosen of [isPlain, (result: Result) => !isPlain(result)]) {
      const batch = results.filter(chosen).slice(0, RECORDED_AT_ONCE)
      if (batch.length === 0) continue
      await note(batch)
      const noted = new Set(batch)
      results = results.filter((result) => !noted.has(result))
      look(batch.map(({ claim }) => claim.endpointId))
    }
    onProgress()
    return results.length > 0 || given.length > 0
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

  /** @param current as it is now; undefined: it is not to be sent */
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
      if (result === undefined) given.push(claim)
      else results.push(result)
      // Its endpoint may be given a rest: what waits for it is not to be sent now.
      if (result?.isSent === true && !isGood) given.push(...lanes.takeBack(claim.endpointId))
      if (result?.isSent === true) attempts.inc({ outcome: isGood ? 'delivered' : 'failed' })
      recording.ask()
      begin()
      // Other subjects need not wait until this result is noted.
      if (lanes.isRunningLow(claim.endpointId)) look([claim.endpointId])
    }
  }

  const look = (endpointIds?: Iterable<string>): void => {
    if (endpointIds === undefined) wanted = 'any'
    else if (wanted !== 'any') for (const id of endpointIds) wanted.add(id)
    looking.ask()
  }

  return {
    look,
    giveBack: (endpointId) => {
      given.push(...lanes.takeBack(endpointId))
      recording.ask()
    },
    stop: async () => {
      isStopping = true
      await looking.stop()
      await readingAgain.stop()
      await sender.close(AbortSignal.timeout(STOP_MS))
      // Who waited for these posts comes first.
      await new Promise((resolve) => setImmediate(resolve))
      await recording.stop()
      given.push(...aged, ...lanes.takeBack())
      try {
        while (await record());
      } catch (error) {
        log.warn({ err: error }, 'the last deliveries were not noted; they are sent again')
      }
    },
  }
}
