/**
 * Writes a time as one says it: "today 14:03", "yesterday 14:03", "12 November at 14:03", and with the year if it is
 * another one.
 */
export function timeText(value: string | number, locale: string, now = new Date()): string {
  const time = new Date(value)
  const days = dayNumber(time) - dayNumber(now)
  if (days === 0 || days === -1) {
    const day = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(days, 'day')
    return `${day} ${new Intl.DateTimeFormat(locale, { timeStyle: 'short' }).format(time)}`
  }
  const year = time.getFullYear() === now.getFullYear() ? {} : ({ year: 'numeric' } as const)
  const parts = { day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' } as const
  return new Intl.DateTimeFormat(locale, { ...parts, ...year }).format(time)
}

/** Counts calendar days of the customer's time zone, in which a day may have 23 or 25 hours. */
function dayNumber(time: Date): number {
  return Date.UTC(time.getFullYear(), time.getMonth(), time.getDate()) / 86_400_000
}
