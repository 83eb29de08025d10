const DAY = /^\d{4}-\d\d-\d\d$/

/** Returns when a day of the browser begins, some days later; undefined for what is no day. */
export function startOfDay(day: string, daysLater = 0): string | undefined {
  if (!DAY.test(day)) return undefined
  const time = new Date(`${day}T00:00:00`)
  time.setDate(time.getDate() + daysLater)
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString()
}

/** Returns the times of a range of days of the browser, whose last day counts as a whole. */
export function timesOfDays(from: string, to: string): { from?: string; to?: string } {
  const [start, end] = [startOfDay(from), startOfDay(to, 1)]
  return { ...(start === undefined ? {} : { from: start }), ...(end === undefined ? {} : { to: end }) }
}
