import type { Claim, PlacesOfOthers } from './store.ts'

/**
 * Maximum number of parallel requests from one process to one endpoint. An endpoint that responds within 50 ms then
 * gets 300 requests a second.
 */
const MAX_WIDTH = 16

/**
 * Number of subjects that are claimed for each allowed parallel request, so that the next request can start without a
 * query.
 */
const AHEAD = 2

/** Approximate maximum number of claimed subjects of all endpoints, and of the endpoints of one account. */
const MAX_HELD = 4_000
const MAX_HELD_OF_OWNER = 128

/** Maximum size of the bodies of running requests. Long bodies are read only when their request starts. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_BYTES_OF_OWNER = 8 * 1024 * 1024

/**
 * Maximum number of parallel requests to unproven endpoints, and the maximum size of their bodies. An endpoint is
 * unproven until a request to it succeeds, and again after a failure.
 */
const MAX_UNPROVEN = 400
const MAX_UNPROVEN_OF_OWNER = 5
const MAX_UNPROVEN_BYTES = MAX_BYTES / 2

/**
 * The part of these limits that unproven endpoints of customers may use together. The rest is reserved for endpoints of
 * operators and administrators, because customers can register many endpoints that never respond.
 */
const MAX_UNPROVEN_OF_CUSTOMERS = MAX_UNPROVEN - 50
const MAX_UNPROVEN_BYTES_OF_CUSTOMERS = MAX_UNPROVEN_BYTES - 8 * 1024 * 1024

/** Time for which an endpoint without requests stays proven. */
const IDLE_MS = 60_000

/**
 * The requests to one endpoint. Each success increases `width`, the number of parallel requests, by one. A failure
 * resets it to one.
 */
interface Lane {
  ownerId: string
  isCustomers: boolean
  width: number
  running: number
  waiting: Claim[]
  /** When the last request of the endpoint ended. */
  endedAtMs: number
}

/** The resources that all endpoints, those of customers, or those of one account currently use. */
interface Use {
  /** Number of claimed subjects, including those whose request is running. */
  held: number
  /** Size of the bodies of running requests. */
  bytes: number
  unproven: number
  unprovenBytes: number
}

/**
 * Decides which claims are sent at what time. Each endpoint has a lane with a limit of its own, so that a slow endpoint
 * does not delay others. All unproven endpoints together can use only a part of the process, and one account can use
 * only a small share of that part.
 */
export interface Lanes {
  /**
   * Returns how many further subjects may be claimed for each endpoint that has a lane. `otherwise` has the numbers for
   * each other endpoint.
   */
  places(): { known: Map<string, number>; otherwise: PlacesOfOthers }
  add(claims: readonly Claim[]): void
  /** Returns the claims to send now. Call `ended` when the request of a claim has ended. */
  next(): Claim[]
  ended(claim: Claim, isSuccess: boolean): void
  /** Returns whether a proven endpoint will soon have no claim left to send. */
  isRunningLow(endpointId: string): boolean
  /** Removes and returns the claims whose request has not started, of one endpoint or of all. */
  takeBack(endpointId?: string): Claim[]
  running(): number
}

/** Creates the lanes. @param nowMs a monotonic clock */
export function createLanes(nowMs = () => performance.now()): Lanes {
  const lanes = new Map<string, Lane>()
  const total = nothing()
  const ofCustomers = nothing()
  const owners = new Map<string, Use>()
  /** A request that started while its endpoint was unproven counts as unproven until it ends. */
  const unproven = new Set<Claim>()

  const isProven = ({ width }: Lane): boolean => width > 1
  const isEmpty = ({ running, waiting }: Lane): boolean => running === 0 && waiting.length === 0
  const bytesOf = ({ body }: Claim): number => body?.bytes ?? 0
  const useOf = (ownerId: string): Use => owners.get(ownerId) ?? nothing()
  const laneOf = ({ endpointId, ownerId, isCustomers }: Claim): Lane => {
    const lane = lanes.get(endpointId) ?? newLane(ownerId, isCustomers, nowMs())
    lanes.set(endpointId, lane)
    return lane
  }

  const take = ({ ownerId, isCustomers }: Claim, part: Partial<Use>, sign: 1 | -1): void => {
    const own = useOf(ownerId)
    for (const use of isCustomers ? [total, ofCustomers, own] : [total, own])
      for (const name of USES) use[name] += sign * (part[name] ?? 0)
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
    return own.unproven < MAX_UNPROVEN_OF_OWNER && hasRoomForUnproven(claim.isCustomers, bytes)
  }
  /** Returns whether a request of this size to an unproven endpoint may start. */
  const hasRoomForUnproven = (isCustomers: boolean, bytes: number): boolean => {
    if (total.unproven >= MAX_UNPROVEN || total.unprovenBytes + bytes > MAX_UNPROVEN_BYTES) return false
    if (!isCustomers) return true
    if (ofCustomers.unproven >= MAX_UNPROVEN_OF_CUSTOMERS) return false
    return ofCustomers.unprovenBytes + bytes <= MAX_UNPROVEN_BYTES_OF_CUSTOMERS
  }

  const forgetIdle = (): void => {
    const before = nowMs() - IDLE_MS
    for (const [id, lane] of lanes) if (isEmpty(lane) && lane.endedAtMs < before) lanes.delete(id)
  }

  return {
    places: () => {
      forgetIdle()
      const isFull = total.held >= MAX_HELD
      const ofNew = (isCustomers: boolean): number => (!isFull && hasRoomForUnproven(isCustomers, 1) ? 1 : 0)
      const otherwise = { staff: ofNew(false), customers: ofNew(true) }
      const left = new Map<string, number>()
      const known = new Map<string, number>()
      for (const [id, lane] of lanes) {
        const ofOwner = left.get(lane.ownerId) ?? MAX_HELD_OF_OWNER - useOf(lane.ownerId).held
        // Every endpoint without claims may get one, however many claims the other endpoints of the account have.
        const most = isEmpty(lane) ? Math.max(1, ofOwner) : ofOwner
        const unprovenWidth = lane.isCustomers ? otherwise.customers : otherwise.staff
        const width = isProven(lane) ? (isFull ? 0 : lane.width * AHEAD) : unprovenWidth
        const places = Math.max(0, Math.min(most, width - lane.running - lane.waiting.length))
        known.set(id, places)
        left.set(lane.ownerId, ofOwner - places)
      }
      return { known, otherwise }
    },
    add: (claims) => {
      for (const claim of claims) {
        const lane = laneOf(claim)
        if (claim.isFailing && isEmpty(lane)) lane.width = 1
        // The role of the owner may have changed since the last claim.
        lane.isCustomers = claim.isCustomers
        lane.waiting.push(claim)
        take(claim, { held: 1 }, 1)
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
          take(claim, ofRequest(claim), 1)
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
      take(claim, { held: 1, ...ofRequest(claim) }, -1)
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
      for (const claim of taken) take(claim, { held: 1 }, -1)
      return taken
    },
    running: () => [...lanes.values()].reduce((sum, lane) => sum + lane.running, 0),
  }
}

const USES = ['held', 'bytes', 'unproven', 'unprovenBytes'] as const satisfies readonly (keyof Use)[]

function newLane(ownerId: string, isCustomers: boolean, endedAtMs: number): Lane {
  return { ownerId, isCustomers, width: 1, running: 0, waiting: [], endedAtMs }
}

function nothing(): Use {
  return { held: 0, bytes: 0, unproven: 0, unprovenBytes: 0 }
}
