import type { Claim } from './store.ts'

/** Requests to one endpoint at a time, from one process. One that answers in 50 ms gets 300 a second. */
const MAX_WIDTH = 16

/** How many subjects are taken ahead for each request at a time: the next one starts without asking the database. */
const AHEAD = 2

/** Subjects that are taken at a time, about: for everybody, and for the endpoints of one person. */
const MAX_HELD = 4_000
const MAX_HELD_OF_OWNER = 128

/** What the bodies of requests under way may hold of memory. Longer ones than a few KiB are not read before. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_OF_OWNER = 8 * 1024 * 1024

/** Requests at a time to endpoints that have not shown yet that they answer, and their part of the memory. */
const MAX_UNPROVEN = 400
const MAX_UNPROVEN_OF_OWNER = 5
const MAX_UNPROVEN_BYTES = MAX_BYTES / 2

/** How long it is remembered of an endpoint that has nothing to receive that it works. */
const IDLE_MS = 60_000

/** What is under way to one endpoint. Widens with each success, and is one request wide after a failure. */
interface Lane {
  ownerId: string
  width: number
  running: number
  waiting: Claim[]
  /** When something ended last. */
  endedAtMs: number
}

/** What is taken up, by everybody or by the endpoints of one person. */
interface Use {
  /** Subjects that are taken, under way or not. */
  held: number
  /** Of requests under way. */
  bytes: number
  unproven: number
  unprovenBytes: number
}

/**
 * Decides what is sent when. An endpoint has a lane of its own, so that nobody waits for another; endpoints that have not
 * answered yet share what the process can bear, of which one person has a small part.
 */
export interface Lanes {
  /** How many more subjects may be taken, for each endpoint that has a lane; `otherwise`: for any other. */
  places(): { known: Map<string, number>; otherwise: number }
  /** Adds what was taken. */
  add(claims: readonly Claim[]): void
  /** What is to be sent now; `ended` follows for each. */
  next(): Claim[]
  ended(claim: Claim, isSuccess: boolean): void
  /** Whether requests to an endpoint that works would soon find nothing to send. */
  isRunningLow(endpointId: string): boolean
  /** Takes out what is not under way: all of it, or of one endpoint. */
  takeBack(endpointId?: string): Claim[]
  running(): number
}

/** @param nowMs a clock that is never set */
export function createLanes(nowMs = () => performance.now()): Lanes {
  const lanes = new Map<string, Lane>()
  const total = nothing()
  const owners = new Map<string, Use>()
  /** Claims that count as unproven do so until they end. */
  const unproven = new Set<Claim>()

  const isProven = ({ width }: Lane): boolean => width > 1
  const isEmpty = ({ running, waiting }: Lane): boolean => running === 0 && waiting.length === 0
  const bytesOf = ({ body }: Claim): number => body?.bytes ?? 0
  const useOf = (ownerId: string): Use => owners.get(ownerId) ?? nothing()
  const laneOf = ({ endpointId, ownerId }: Claim): Lane => {
    const lane = lanes.get(endpointId) ?? { ownerId, width: 1, running: 0, waiting: [], endedAtMs: nowMs() }
    lanes.set(endpointId, lane)
    return lane
  }

  const take = (ownerId: string, part: Partial<Use>, sign: 1 | -1): void => {
    const own = useOf(ownerId)
    for (const use of [total, own]) for (const name of USES) use[name] += sign * (part[name] ?? 0)
    if (own.held > 0) owners.set(ownerId, own)
    else owners.delete(ownerId)
  }
  const ofRequest = (claim: Claim): Partial<Use> => {
    const bytes = bytesOf(claim)
    return unproven.has(claim) ? { bytes, unproven: 1, unprovenBytes: bytes } : { bytes }
  }

  const mayStart = (lane: Lane, claim: Claim): boolean => {
    const own = useOf(lane.ownerId)
    const bytes = bytesOf(claim)
    if (total.bytes + bytes > MAX_BYTES || own.bytes + bytes > MAX_BYTES_OF_OWNER) return false
    if (isProven(lane)) return true
    if (total.unproven >= MAX_UNPROVEN || own.unproven >= MAX_UNPROVEN_OF_OWNER) return false
    return total.unprovenBytes + bytes <= MAX_UNPROVEN_BYTES
  }

  const forgetIdle = (): void => {
    const before = nowMs() - IDLE_MS
    for (const [id, lane] of lanes) if (isEmpty(lane) && lane.endedAtMs < before) lanes.delete(id)
  }

  return {
    places: () => {
      forgetIdle()
      const isFull = total.held >= MAX_HELD
      const noNew = isFull || total.unproven >= MAX_UNPROVEN || total.unprovenBytes >= MAX_UNPROVEN_BYTES
      const left = new Map<string, number>()
      const known = new Map<string, number>()
      for (const [id, lane] of lanes) {
        const ofOwner = left.get(lane.ownerId) ?? MAX_HELD_OF_OWNER - useOf(lane.ownerId).held
        // Each of a person's endpoints may have one, however much the others have.
        const most = isEmpty(lane) ? Math.max(1, ofOwner) : ofOwner
        const width = isProven(lane) ? (isFull ? 0 : lane.width * AHEAD) : noNew ? 0 : 1
        const places = Math.max(0, Math.min(most, width - lane.running - lane.waiting.length))
        known.set(id, places)
        left.set(lane.ownerId, ofOwner - places)
      }
      return { known, otherwise: noNew ? 0 : 1 }
    },
    add: (claims) => {
      for (const claim of claims) {
        const lane = laneOf(claim)
        if (claim.isFailing && isEmpty(lane)) lane.width = 1
        lane.waiting.push(claim)
        take(lane.ownerId, { held: 1 }, 1)
      }
    },
    next: () => {
      const started: Claim[] = []
      for (const lane of lanes.values()) {
        while (lane.running < lane.width) {
          const [claim] = lane.waiting
          if (claim === undefined || !mayStart(lane, claim)) break
          lane.waiting.shift()
          lane.running += 1
          if (!isProven(lane)) unproven.add(claim)
          take(lane.ownerId, ofRequest(claim), 1)
          started.push(claim)
        }
      }
      return started
    },
    ended: (claim, isSuccess) => {
      const lane = laneOf(claim)
      lane.running -= 1
      lane.width = isSuccess ? Math.min(MAX_WIDTH, lane.width + 1) : 1
      lane.endedAtMs = nowMs()
      take(lane.ownerId, { held: 1, ...ofRequest(claim) }, -1)
      unproven.delete(claim)
      if (!isProven(lane) && isEmpty(lane)) lanes.delete(claim.endpointId)
    },
    isRunningLow: (endpointId) => {
      const lane = lanes.get(endpointId)
      return lane !== undefined && isProven(lane) && lane.waiting.length <= lane.width
    },
    takeBack: (endpointId) => {
      const chosen = endpointId === undefined ? [...lanes.values()] : [lanes.get(endpointId)]
      const taken = chosen.flatMap((lane) => lane?.waiting.splice(0) ?? [])
      for (const { ownerId } of taken) take(ownerId, { held: 1 }, -1)
      return taken
    },
    running: () => [...lanes.values()].reduce((sum, lane) => sum + lane.running, 0),
  }
}

const USES = ['held', 'bytes', 'unproven', 'unprovenBytes'] as const satisfies readonly (keyof Use)[]

function nothing(): Use {
  return { held: 0, bytes: 0, unproven: 0, unprovenBytes: 0 }
}
