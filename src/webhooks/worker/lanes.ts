import type { Claim } from './store.ts'

/** Parallel requests to one endpoint from one process. An endpoint that responds in 50 ms gets 300 a second. */
const MAX_WIDTH = 16

/** Subjects claimed ahead per parallel request, so that the next request starts without a query. */
const AHEAD = 2

/** Approximate maximum of claimed subjects: in all, and for the endpoints of one account. */
const MAX_HELD = 4_000
const MAX_HELD_OF_OWNER = 128

/** Memory for the bodies of running requests. Longer bodies are read only when their request starts. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_OF_OWNER = 8 * 1024 * 1024

/** Parallel requests to endpoints that have not responded yet, and their share of the memory. */
const MAX_UNPROVEN = 400
const MAX_UNPROVEN_OF_OWNER = 5
const MAX_UNPROVEN_BYTES = MAX_BYTES / 2

/** How long an idle endpoint counts as working. */
const IDLE_MS = 60_000

/** The requests to one endpoint. Each success allows one more in parallel; a failure resets this to one. */
interface Lane {
  ownerId: string
  width: number
  running: number
  waiting: Claim[]
  /** When the last request ended. */
  endedAtMs: number
}

/** What is in use in all, or by the endpoints of one account. */
interface Use {
  /** Claimed subjects, with or without a running request. */
  held: number
  /** Bodies of running requests. */
  bytes: number
  unproven: number
  unprovenBytes: number
}

/**
 * Decides which claims are sent when. Each endpoint has a lane, so that no endpoint delays another. Endpoints that have
 * not responded yet share a bounded part of the process, and one account gets a small part of that.
 */
export interface Lanes {
  /** How many more subjects may be claimed for each endpoint with a lane; `otherwise` for all others. */
  places(): { known: Map<string, number>; otherwise: number }
  add(claims: readonly Claim[]): void
  /** The claims to send now. Call `ended` for each. */
  next(): Claim[]
  ended(claim: Claim, isSuccess: boolean): void
  /** Whether a working endpoint will soon have no claim to send. */
  isRunningLow(endpointId: string): boolean
  /** Removes claims whose request has not started, of one endpoint or of all. */
  takeBack(endpointId?: string): Claim[]
  running(): number
}

/** @param nowMs a monotonic clock */
export function createLanes(nowMs = () => performance.now()): Lanes {
  const lanes = new Map<string, Lane>()
  const total = nothing()
  const owners = new Map<string, Use>()
  /** Claims that started as unproven count as such until they end. */
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
        // Every endpoint gets one claim, however many the account's other endpoints have.
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
