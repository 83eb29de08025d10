import { addSeconds } from '../../platform/clock.ts'

const DAY_SECONDS = 24 * 3600

/** Adds working days, Monday to Friday in UTC. The time of day stays. */
export function addWorkingDays(time: Date, days: number): Date {
  let reached = time
  for (let left = days; left > 0; ) {
    reached = addSeconds(reached, DAY_SECONDS)
    if (reached.getUTCDay() % 6 !== 0) left -= 1
  }
  return reached
}
