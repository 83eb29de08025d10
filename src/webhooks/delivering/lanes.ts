import type { Claim } from './store.ts'

/** Requests to one endpoint at a time, from one process. */
const MAX_WIDTH = 8

/** How many subjects are taken ahead for each request at a time: the next one starts without asking the database. */
const AHEAD = 3

/** Requests at a time to endpoints that have not shown yet that they answer, and what their bodies may hold of memory. */
const MAX_UNPROVEN = 400
const MAX_UNPROVEN_BYTES = 64 * 1024 * 1024

/** What is under way to one endpoint. Widens with each success, and is one request wide after a failure. */
interface Lane {
  width: number
  running: number
  waiting: Claim[]
}

/**
 * Decides what is sent when. An endpoint has a lane of its own, so that nobody waits for another; endpoints that have not
 * answered yet share what the process can bear.
 */
export interface Lanes {
  /** How many more subjects may be taken, for each endpoint that has a lane; `otherwise`: for any other. */
  places(): { known: Map<string, number>; otherwise: number }
  /** Adds what was taken. */
  add(claims: readonly Claim[]): void
  /** What is to be sent now; `ended` follows for each. */
  next(): Claim[]
  ended(claim: Claim, isSuccess: boolean): void
  /** Takes out what is not under way: all of it, or of one endpoint. */
  takeBack(endpointId?: string): Claim[]
  running(): number
}

export function createLanes(): Lanes {
  const lanes = new Map<string, Lane>()
  let unproven = 0
  let unprovenBytes = 0

  const isProven = ({ width }: Lane): boolean => width > 1
  const sizeOf = ({ body }: Claim): number => body?.length ?? 0
  const laneOf = (endpointId: string): Lane => {
    const lane = lanes.get(endpointId) ?? { width: 1, running: 0, waiting: [] }
    lanes.set(endpointId, lane)
    return lane
  }
  /** Claims that count as unproven do so until they end. */
  const counted = new Set<Claim>()

  return {
    places: () => {
      const isFull = unproven >= MAX_UNPROVEN || unprovenBytes >= MAX_UNPROVEN_BYTES
      const known = new Map<string, number>()
      for (const [id, lane] of lanes) {
        const wanted = isProven(lane) ? lane.width * AHEAD : isFull ? 0 : 1
        known.set(id, Math.max(0, wanted - lane.running - lane.waiting.length))
      }
      return { known, otherwise: isFull ? 0 : 1 }
    },
    add: (claims) => {
      for (const claim of claims) {
        const lane = laneOf(claim.endpointId)
        if (claim.isFailing && lane.running === 0 && lane.waiting.length === 0) lane.width = 1
        lane.waiting.push(claim)
      }
    },
    next: () => {
      const started: Claim[] = []
      for (const lane of lanes.values()) {
        while (lane.running < lane.width) {
          const claim = lane.waiting.shift()
          if (claim === undefined) break
          lane.running += 1
          if (!isProven(lane)) {
            counted.add(claim)
            unproven += 1
            unprovenBytes += sizeOf(claim)
          }
          started.push(claim)
        }
      }
      return started
    },
    ended: (claim, isSuccess) => {
      const lane = laneOf(claim.endpointId)
      lane.running -= 1
      lane.width = isSuccess ? Math.min(MAX_WIDTH, lane.width + 1) : 1
      if (counted.delete(claim)) {
        unproven -= 1
        unprovenBytes -= sizeOf(claim)
      }
      if (!isProven(lane) && lane.running === 0 && lane.waiting.length === 0) lanes.delete(claim.endpointId)
    },
    takeBack: (endpointId) => {
      const chosen = endpointId === undefined ? [...lanes.values()] : [lanes.get(endpointId)]
      return chosen.flatMap((lane) => lane?.waiting.splice(0) ?? [])
    },
    running: () => [...lanes.values()].reduce((sum, lane) => sum + lane.running, 0),
  }
}
