/**
 * The source of the present moment for every rule that counts time (tokens, blocks, price locks).
 * Rules never ask the operating system or the database, so that a test can shift time for one service.
 */
export interface Clock {
  /** The present moment, whole milliseconds. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock that runs with the system's but can be moved. For tests. */
export interface ShiftableClock extends Clock {
  /** Moves the clock by this many seconds, forward for positive numbers. */
  shift(seconds: number): void
}

export function createShiftableClock(): ShiftableClock {
  let offsetMs = 0
  return {
    now: () => new Date(Date.now() + offsetMs),
    shift: (seconds) => {
      offsetMs += seconds * 1000
    },
  }
}

/** The moment that lies this many seconds after (or, negative, before) another. */
export function addSeconds(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}
