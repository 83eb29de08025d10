/**
 * The source of the current time for every rule that depends on time (tokens, blocks, price locks). Rules do not use
 * the time of the operating system or of the database, so that a test can shift the time of one service.
 */
export interface Clock {
  /** Returns the current time in whole milliseconds. */
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock for tests that runs with the system clock but can be shifted. */
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

/** Returns the time that is this many seconds after another time, or before it for a negative number. */
export function addSeconds(moment: Date, seconds: number): Date {
  return new Date(moment.getTime() + seconds * 1000)
}
