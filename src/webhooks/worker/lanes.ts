import { isShareOfVisitors } from '../../platform/fair-share.ts'
import type { Claim, MostOfNetwork, PlacesOfOthers } from './store.ts'

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

/** Resources that all endpoints, those of customers, those of visitors, or those of one share use together. */
interface Use {
  /** Number of claimed subjects, including those whose request is running. The limits are approximate. */
  held: number
  /** Size of the bodies of running requests. Long bodies are read only when their request starts. */
  bytes: number
  /**
   * Number of running requests to unproven endpoints, and the size of their bodies. An endpoint is unproven until a
   * request to it succeeds, and again after a failure.
   */
  unproven: number
  unprovenBytes: number
}

const MIB = 1024 * 1024

/** The limits for all endpoints. Unproven ones may use half of the memory. */
const LIMITS: Use = { held: 4_000, bytes: 64 * MIB, unproven: 400, unprovenBytes: 32 * MIB }

/**
 * The part of these limits that endpoints of customers may use together. The rest is reserved for endpoints of operators
 * and administrators, because customers can register many endpoints that are slow or never respond.
 */
const LIMITS_OF_CUSTOMERS: Use = { held: 3_600, bytes: 56 * MIB, unproven: 350, unprovenBytes: 24 * MIB }

/**
 * The part of the limits of customers that visitors may use together: customers who have not paid yet. A client may
 * register any number of accounts from several networks.
 */
const LIMITS_OF_VISITORS: Use = { held: 1_800, bytes: 28 * MIB, unproven: 175, unprovenBytes: 12 * MIB }

/** The limits for the endpoints of one share: of one account, or of all visitors of one network (`findShare`). */
const LIMITS_OF_SHARE: Use = { held: 128, bytes: 8 * MIB, unproven: 5, unprovenBytes: 8 * MIB }

/**
 * A share may hold as many claims as this part of those that are free. If many busy shares have taken all claims, they
 * therefore claim nothing more at first when requests end, and shares with few claims get the places.
 */
const PART_OF_FREE = 1 / 8

/**
 * A share of visitors with more claims than this is busy. The limits of visitors are smaller for busy shares, so that
 * others get claims however many of them have slow endpoints.
 */
const FIRST_CLAIMS = 2

const LIMITS_OF_BUSY_VISITORS: Use = { held: 1_350, bytes: 21 * MIB, unproven: 130, unprovenBytes: 9 * MIB }

/** Time for which an endpoint without requests stays proven. */
const IDLE_MS = 60_000

/** Decides which limits apply to an endpoint or a claim. */
type Holder = Pick<Claim, 'share' | 'isCustomers'>

/**
 * The requests to one endpoint. Each success increases `width`, the number of parallel requests, by one. A failure
 * resets it to one.
 */
interface Lane extends Holder {
  width: number
  running: number
  waiting: Claim[]
  /** When the last request of the endpoint ended. */
  endedAtMs: number
}

/**
 * Decides which claims are sent at what time. Each endpoint has a lane with a limit of its own, so that a slow endpoint
 * does not delay others. All unproven endpoints together can use only a part of the process. One account can use only a
 * small share of that part, and all visitors of one network together have the share of one account.
 */
export interface Lanes {
  /**
   * Returns how many further subjects may be claimed for each endpoint that has a lane. `otherwise` has the numbers for
   * each other endpoint. `held` has the number of claims of each share that has any, and `mostOfNetwork` the maximum for
   * the visitors of one network.
   */
  places(): {
    known: Map<string, number>
    otherwise: PlacesOfOthers
    held: Map<string, number>
    mostOfNetwork: MostOfNetwork
  }
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
  const all = { use: nothing(), limits: LIMITS }
  const ofCustomers = { use: nothing(), limits: LIMITS_OF_CUSTOMERS }
  const ofVisitors = { use: nothing(), limits: LIMITS_OF_VISITORS }
  const ofBusyVisitors = { use: ofVisitors.use, limits: LIMITS_OF_BUSY_VISITORS }
  const parts = {
    staff: [all],
    customers: [all, ofCustomers],
    visitors: [all, ofCustomers, ofVisitors],
    busyVisitors: [all, ofCustomers, ofBusyVisitors],
  }
  const shares = new Map<string, Use>()
  /** A request that started while its endpoint was unproven counts as unproven until it ends. */
  const unproven = new Set<Claim>()

  const isProven = ({ width }: Lane): boolean => width > 1
  const isEmpty = ({ running, waiting }: Lane): boolean => running === 0 && waiting.length === 0
  const bytesOf = ({ body }: Claim): number => body?.bytes ?? 0
  const useOf = (share: string): Use => shares.get(share) ?? nothing()
  const laneOf = (claim: Claim): Lane => {
    const lane = lanes.get(claim.endpointId) ?? newLane(claim, nowMs())
    lanes.set(claim.endpointId, lane)
    return lane
  }

  const take = (claim: Claim, part: Partial<Use>, sign: 1 | -1): void => {
    const own = useOf(claim.share)
    for (const { use } of [...parts[kindOf(claim)], { use: own }])
      for (const name of USES) use[name] += sign * (part[name] ?? 0)
    if (own.held > 0) shares.set(claim.share, own)
    else shares.delete(claim.share)
  }
  const ofRequest = (claim: Claim): Partial<Use> => {
    const bytes = bytesOf(claim)
    return unproven.has(claim) ? { bytes, unproven: 1, unprovenBytes: bytes } : { bytes }
  }

  /** Returns which limits apply to a share with this number of claims. */
  const limitsFor = (holder: Holder, held: number): keyof typeof parts => {
    const kind = kindOf(holder)
    return kind === 'visitors' && held > FIRST_CLAIMS ? 'busyVisitors' : kind
  }
  /** Returns whether endpoints with these limits may use this in addition. */
  const hasRoom = (kind: keyof typeof parts, part: Partial<Use>): boolean =>
    parts[kind].every(({ use, limits }) => fits(use, part, limits))
  /** Returns how many claims one share may hold. */
  const mostOf = (kind: keyof typeof parts): number => {
    const free = Math.min(...parts[kind].map(({ use, limits }) => limits.held - use.held))
    return Math.max(0, Math.min(LIMITS_OF_SHARE.held, Math.floor(free * PART_OF_FREE)))
  }
  const mostOfVisitors = (): number => Math.max(mostOf('busyVisitors'), Math.min(FIRST_CLAIMS, mostOf('visitors')))
  const mayStart = (lane: Lane, claim: Claim): boolean => {
    const bytes = bytesOf(claim)
    const part = isProven(lane) ? { bytes } : { bytes, unproven: 1, unprovenBytes: bytes }
    const own = useOf(claim.share)
    return fits(own, part, LIMITS_OF_SHARE) && hasRoom(limitsFor(claim, own.held), part)
  }

  const forgetIdle = (): void => {
    const before = nowMs() - IDLE_MS
    for (const [id, lane] of lanes) if (isEmpty(lane) && lane.endedAtMs < before) lanes.delete(id)
  }

  return {
    places: () => {
      forgetIdle()
      const ofNew = (kind: keyof typeof parts): number => (hasRoom(kind, NEW_CLAIM) ? 1 : 0)
      const otherwise = { staff: ofNew('staff'), customers: ofNew('customers'), visitors: ofNew('visitors') }
      const most = { staff: mostOf('staff'), customers: mostOf('customers'), visitors: mostOfVisitors() }
      const left = new Map<string, number>()
      const known = new Map<string, number>()
      for (const [id, lane] of lanes) {
        const kind = kindOf(lane)
        const ofShare = left.get(lane.share) ?? most[kind] - useOf(lane.share).held
        // Every endpoint without claims may get one, however many claims the other endpoints of the account have. The
        // number of accounts of one network has no limit, so this does not hold for visitors.
        const ofLane = isEmpty(lane) && kind !== 'visitors' ? Math.max(1, ofShare) : ofShare
        const limits = limitsFor(lane, most[kind] - ofShare + 1)
        const provenWidth = hasRoom(limits, { held: 1 }) ? lane.width * AHEAD : 0
        const width = isProven(lane) ? provenWidth : ofNew(limits)
        const places = Math.max(0, Math.min(ofLane, width - lane.running - lane.waiting.length))
        known.set(id, places)
        left.set(lane.share, ofShare - places)
      }
      const held = new Map([...shares].map(([share, use]) => [share, use.held]))
      const ofOthers = hasRoom('busyVisitors', NEW_CLAIM) ? most.visitors : Math.min(FIRST_CLAIMS, most.visitors)
      return { known, otherwise, held, mostOfNetwork: { known: most.visitors, otherwise: ofOthers } }
    },
    add: (claims) => {
      for (const claim of claims) {
        const lane = laneOf(claim)
        if (claim.isFailing && isEmpty(lane)) lane.width = 1
        // The role or the share of the owner may have changed since the last claim.
        lane.isCustomers = claim.isCustomers
        lane.share = claim.share
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

/** What a claim for an endpoint without claims uses at least. */
const NEW_CLAIM: Partial<Use> = { held: 1, unproven: 1, unprovenBytes: 1 }

type Kind = keyof PlacesOfOthers

function kindOf({ share, isCustomers }: Holder): Kind {
  if (!isCustomers) return 'staff'
  return isShareOfVisitors(share) ? 'visitors' : 'customers'
}

function newLane({ share, isCustomers }: Claim, endedAtMs: number): Lane {
  return { share, isCustomers, width: 1, running: 0, waiting: [], endedAtMs }
}

/** Returns whether the use with this part added stays within the limits. Limits of other resources do not matter. */
function fits(use: Use, part: Partial<Use>, limits: Use): boolean {
  return USES.every((name) => part[name] === undefined || use[name] + part[name] <= limits[name])
}

function nothing(): Use {
  return { held: 0, bytes: 0, unproven: 0, unprovenBytes: 0 }
}
