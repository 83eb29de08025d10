import { LRUCache } from 'lru-cache'

/** A caller that a rate limit refuses until its window ends. */
export interface Mark {
  /** The name of the limit, as responses state it. */
  limit: string
  points: number
  windowSeconds: number
  /** When the window ends, as a value of `performance.now()`. */
  endsAt: number
}

export interface FloodGate {
  /** Remembers that a limit refuses a caller. The key names both. */
  mark(key: string, mark: Mark): void
  /**
   * Finds the first key that is marked, and counts a refusal. Returns undefined if the request may go on.
   *
   * @param lettingThrough how many requests of a marked caller may go on in a second
   */
  find(keys: readonly string[], lettingThrough?: number): Refusal | undefined
  /** Notes a credential of which the service has found the owner. */
  noteKnown(credential: string): void
  isKnown(credential: string): boolean
  /** Sends a refusal, a late one after some seconds. */
  send(refusal: Refusal, respond: () => void): void
  /** Sends the refusals that wait, and later ones at once. */
  close(): void
}

export interface Refusal extends Mark {
  isLate: boolean
}

interface Counted {
  mark: Mark
  refused: number
  /** Requests since the begin of `second` that went on in spite of the mark. */
  letThrough: number
  second: number
}

/** The most marks. A caller without a mark is refused as well, but at a higher cost. */
const MAX_MARKS = 20_000

/** How many known credentials to remember while there are marks. */
const MAX_KNOWN = 2_000
/** In characters. Tokens of the service are shorter. */
const MAX_KEY_LENGTH = 2_048

/**
 * By how much a late refusal is late, at least, and how many of them are sent at the same time: 500 in a second. A client
 * that sends its next request after the response cannot send more, however many connections it has.
 */
const HOLD_MS = 1_000
const TICK_MS = 20
const SENT_PER_TICK = 10
/** Beyond this many, refusals are sent at once. One that waits takes some 15 kB. */
const MAX_HELD = 5_000

/**
 * Remembers which callers exceed a rate limit, so that their further requests are refused before anything else is done for
 * them. A refusal otherwise costs almost as much as a response, and one client can send thousands in a second.
 */
export function createFloodGate(): FloodGate {
  const marks = new Map<string, Counted>()
  const known = new LRUCache<string, true>({ max: MAX_KNOWN })
  /** The refusals that wait, the first one first, with the time from which they may be sent. */
  const held = new Map<() => void, number>()
  let ticking: NodeJS.Timeout | undefined
  let isClosed = false

  const countedOf = (key: string): Counted | undefined => {
    const counted = marks.get(key)
    return counted !== undefined && counted.mark.endsAt > performance.now() ? counted : undefined
  }
  const mayGoOn = (counted: Counted, most: number): boolean => {
    const second = Math.floor(performance.now() / 1_000)
    if (counted.second !== second) Object.assign(counted, { second, letThrough: 0 })
    counted.letThrough += 1
    return counted.letThrough <= most
  }

  const sendDue = (): void => {
    const now = performance.now()
    const due = held.entries().filter(([, at]) => isClosed || at <= now)
    for (const [respond] of isClosed ? due : due.take(SENT_PER_TICK)) {
      held.delete(respond)
      respond()
    }
    if (held.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }

  return {
    mark: (key, mark) => {
      if (countedOf(key) !== undefined || marks.size >= MAX_MARKS || key.length > MAX_KEY_LENGTH) return
      const counted = { mark, refused: 1, letThrough: 0, second: 0 }
      marks.set(key, counted)
      const forget = () => {
        if (marks.get(key) === counted) marks.delete(key)
      }
      setTimeout(forget, mark.endsAt - performance.now()).unref()
    },
    find: (keys, lettingThrough = 0) => {
      if (marks.size === 0) return undefined
      const key = keys.find((one) => countedOf(one) !== undefined)
      const counted = key === undefined ? undefined : countedOf(key)
      if (counted === undefined || mayGoOn(counted, lettingThrough)) return undefined
      counted.refused += 1
      return { ...counted.mark, isLate: counted.refused > counted.mark.points }
    },
    noteKnown: (credential) => {
      if (marks.size > 0 && credential.length <= MAX_KEY_LENGTH) known.set(credential, true)
    },
    isKnown: (credential) => known.get(credential) === true,
    send: ({ isLate }, respond) => {
      if (!isLate || isClosed || held.size >= MAX_HELD) return respond()
      held.set(respond, performance.now() + HOLD_MS)
      ticking ??= setInterval(sendDue, TICK_MS)
    },
    close: () => {
      isClosed = true
      sendDue()
    },
  }
}
