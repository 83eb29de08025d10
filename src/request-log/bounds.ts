import type { EndedEntry } from './entry.ts'

export interface LogLimits {
  /** Requests of one day (UTC) that all processes together store. */
  perDay: number
  /** Requests of one account, of one network of customers, or of one of anonymous callers, that one node stores in a day. */
  perClient: number
}

/** A million requests need about 300 MiB, with their indexes. */
export const LOG_LIMITS: LogLimits = { perDay: 250_000, perClient: 25_000 }

/** Share of a day that is kept for responses with which the service failed. */
const FOR_FAILURES = 0.1
/** Share of a day that is kept for operators and administrators, so that no number of customers hides their requests. */
const FOR_STAFF = 0.1
/** Share of a day that anonymous callers may use together, because a client can have any number of IP addresses. */
const OF_ANONYMOUS = 0.5
/** Accounts and networks that are counted one by one. Further ones count as one client. */
const MAX_CLIENTS = 10_000
const DAY_MS = 86_400_000

export interface Bounds {
  /** Returns whether the entry may be stored, and counts it. */
  admits(entry: EndedEntry): boolean
  /** Notes how many requests of a day all processes have stored. */
  note(day: string, stored: number): void
}

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/**
 * Bounds what a day adds to the log, so that a flood of requests neither fills the disk nor hides other clients.
 *
 * @param processes how many processes of this node log requests, each with its part of what clients may add
 */
export function createBounds({ perDay, perClient }: LogLimits, processes = 1): Bounds {
  let day = ''
  let dayEndsAt = Number.NEGATIVE_INFINITY
  let stored = 0
  let customers = 0
  let anonymous = 0
  const clients = new Map<string, number>()

  const beginDay = (at: Date): void => {
    day = dayOf(at)
    dayEndsAt = Date.parse(day) + DAY_MS
    stored = 0
    customers = 0
    anonymous = 0
    clients.clear()
  }

  return {
    admits: (entry) => {
      const { endedAt, status, userId, isStaff } = entry
      if (endedAt.getTime() >= dayEndsAt) beginDay(endedAt)
      if (stored >= (status >= 500 ? perDay : perDay * (1 - FOR_FAILURES))) return false
      if (!isStaff && status < 500 && customers >= (perDay * (1 - FOR_FAILURES - FOR_STAFF)) / processes) return false
      if (userId === null && anonymous >= (perDay * OF_ANONYMOUS) / processes) return false
      const names = clientsOf(entry).map((name) => (clients.has(name) || clients.size < MAX_CLIENTS ? name : ''))
      const named = [...new Set(names)]
      if (named.some((name) => (clients.get(name) ?? 0) >= perClient / processes)) return false
      for (const name of named) clients.set(name, (clients.get(name) ?? 0) + 1)
      stored += 1
      if (!isStaff) customers += 1
      if (userId === null) anonymous += 1
      return true
    },
    note: (noted, count) => {
      if (noted === day) stored = Math.max(stored, count)
    },
  }
}

/** Returns the names by which an entry counts. Accounts are free, so those of one network count together too. */
function clientsOf({ userId, network, isStaff }: EndedEntry): string[] {
  if (userId === null) return [network ?? '']
  return isStaff || network === null ? [userId] : [userId, `customers of ${network}`]
}
