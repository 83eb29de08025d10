import type { ServerResponse } from 'node:http'
import { LRUCache } from 'lru-cache'
import type { Principal } from './core/principal.ts'

/** A caller that a rate limit refuses until its window ends. */
export interface Block {
  /** The name of the limit, as responses state it. */
  limit: string
  points: number
  windowSeconds: number
  /** When the window ends, as a value of `Date.now()`. */
  endsAt: number
  /** Whose credential is refused, if the limit is one of a credential. */
  principal: Principal | undefined
}

export interface Refusal extends Block {
  isLate: boolean
}

export interface Blocks {
  /** Blocks a caller. The key names the limit and the caller. */
  add(key: string, block: Block): void
  /** Whether no caller is blocked. */
  areNone(): boolean
  /** Finds the first of the keys that is blocked, and counts a refusal. */
  refuse(keys: readonly string[]): Refusal | undefined
  /** The same, but each blocked caller has some requests in a second that go on. */
  refuseMost(keys: readonly string[]): Refusal | undefined
  /** Sends a refusal, a late one after a second or more. If its client leaves before that, does nothing. */
  send(refusal: Refusal, response: Pick<ServerResponse, 'once' | 'off'>, respond: () => void): void
  /** Sends the refusals that wait, and later ones at once. */
  close(): void
}

interface Counted {
  block: Block
  refused: number
  /** Requests since the begin of `second` that went on in spite of the block. */
  letThrough: number
  second: number
}

/** The most blocks. Beyond, the oldest one is forgotten, so that its caller is refused at a higher cost once. */
const MAX_BLOCKS = 20_000
/** In characters. Tokens of the service are shorter. */
const MAX_KEY_LENGTH = 2_048

/** How many requests of a blocked caller with a credential that is not known go on in a second. */
const LET_THROUGH_PER_SECOND = 20

/**
 * By how much a late refusal is late, at least, and how many of them are sent at the same time: 500 in a second. A client
 * that sends its next request after the response cannot send more, however many connections it has.
 */
const HOLD_MS = 1_000
const TICK_MS = 20
const SENT_PER_TICK = 10
/** Beyond this many, refusals are sent at once. One that waits takes some 15 kB, and its body. */
const MAX_HELD = 5_000

/**
 * Remembers which callers exceed a rate limit, so that their further requests are refused before anything else is done for
 * them. A refusal otherwise costs almost as much as a response, and one client can send thousands in a second.
 */
export function createBlocks(): Blocks {
  const blocks = new Map<string, Counted>()
  /** The refusals that wait, the first one first, with the time from which they may be sent. */
  const held = new Map<() => void, number>()
  let ticking: NodeJS.Timeout | undefined
  let isClosed = false

  const countedOf = (key: string): Counted | undefined => {
    const counted = blocks.get(key)
    if (counted === undefined || counted.block.endsAt > Date.now()) return counted
    blocks.delete(key)
    return undefined
  }
  const allOf = (keys: readonly string[]): Counted[] =>
    keys.map(countedOf).filter((counted): counted is Counted => counted !== undefined)
  const countRefusal = (counted: Counted | undefined): Refusal | undefined => {
    if (counted === undefined) return undefined
    counted.refused += 1
    return { ...counted.block, isLate: counted.refused > counted.block.points }
  }
  const mayGoOn = (counted: Counted): boolean => {
    const second = Math.floor(performance.now() / 1_000)
    if (counted.second !== second) Object.assign(counted, { second, letThrough: 0 })
    counted.letThrough += 1
    return counted.letThrough <= LET_THROUGH_PER_SECOND
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
    add: (key, block) => {
      if (countedOf(key) !== undefined || key.length > MAX_KEY_LENGTH) return
      const [oldest] = blocks.size < MAX_BLOCKS ? [] : blocks.keys()
      if (oldest !== undefined) blocks.delete(oldest)
      const counted = { block, refused: 1, letThrough: 0, second: 0 }
      blocks.set(key, counted)
      // Otherwise blocks of callers who do not come back would stay.
      const forget = () => {
        if (blocks.get(key) === counted) blocks.delete(key)
      }
      setTimeout(forget, block.endsAt - Date.now()).unref()
    },
    areNone: () => blocks.size === 0,
    refuse: (keys) => countRefusal(allOf(keys)[0]),
    // Each of the callers is asked, so that all addresses of a blocked network have no more than one.
    refuseMost: (keys) => countRefusal(allOf(keys).filter((counted) => !mayGoOn(counted))[0]),
    send: ({ isLate }, response, respond) => {
      if (!isLate || isClosed || held.size >= MAX_HELD) return respond()
      const leave = () => held.delete(respondOnce)
      const respondOnce = () => {
        response.off('close', leave)
        respond()
      }
      response.once('close', leave)
      held.set(respondOnce, performance.now() + HOLD_MS)
      ticking ??= setInterval(sendDue, TICK_MS)
    },
    close: () => {
      isClosed = true
      sendDue()
    },
  }
}

/** How many credentials of each process count as known. */
const MAX_KNOWN = 10_000

/** The credentials of which the service has found the owners. */
export interface KnownCredentials {
  note(credential: string, isValid: boolean): void
  has(credential: string): boolean
}

export function createKnownCredentials(): KnownCredentials {
  const known = new LRUCache<string, true>({ max: MAX_KNOWN })
  return {
    note: (credential, isValid) => {
      if (!isValid) known.delete(credential)
      else if (credential.length <= MAX_KEY_LENGTH) known.set(credential, true)
    },
    has: (credential) => known.get(credential) === true,
  }
}
