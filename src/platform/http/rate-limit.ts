import type { OutgoingHttpHeaders } from 'node:http'
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { shareOf } from '../fair-share.ts'
import { householdOf, networkOf } from '../networks.ts'
import { ALONE, type SharedCounts } from '../processes/shared-counts.ts'
import { createBlocks, createKnownCredentials, type Refusal } from './blocks.ts'
import { bearerOf } from './core/bearer.ts'
import { addressKey } from './core/client-address.ts'
import { ACCOUNT_SHARE, GUESTS_SHARE } from './core/principal.ts'
import { httpProblems } from './core/problems.ts'
import { PROBLEM_TYPE, textOfProblem } from './responses/errors.ts'

/** Requests per minute. Routes can name further limits in their `config`. */
export interface RateLimits {
  signedIn: number
  anonymous: number
  [name: string]: number
}

const WINDOW_SECONDS = 60
const DAY_SECONDS = 24 * 3600

/** How many times the limit of an IP address its whole network may reach in a minute, and in a day. */
const NETWORK_SHARE = 10
const NETWORK_SHARE_OF_DAY = 200

/**
 * How many times the limit of an IP address all callers of its network without a credential may reach in a minute. A
 * client with a network of IPv6 has 65,536 addresses in the sense of `addressKey`.
 */
const WIDE_SHARE = 20

/** The same for preflights and probes, whose limit is wide already. */
const WIDE_SHARE_OF_PROBES = 5

/**
 * How many times the limit of an IP address a household with IPv6 may reach in a minute, for it has 256 addresses. This is
 * less than each share of a network in a minute, so that one household does not use up the limit of its neighbours.
 */
const HOUSEHOLD_SHARE = 4

/** The same for a day, in the same proportion to the share of a network. */
const HOUSEHOLD_SHARE_OF_DAY = 80

/** The refusal of a request with a longer body does not wait, and ends its connection. */
const LARGE_UNREAD_BYTES = 16 * 1024

const RATE_LIMITED = httpProblems.rate_limited()

/** How the names of limits begin that the callers of a network have together. */
const OF_NETWORK = 'network-'

/** The limits of preflights and of probes: pages and load balancers send many, and do not expect refusals. */
const WIDE_LIMIT = 50

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of a narrower limit that applies to requests of this route in addition to the general one. */
    rateLimit?: string
    /**
     * Whether the limit of the route applies to the whole network of the client too: for what costs the service for long, or
     * needs no credential. A narrower limit then also applies to a day.
     */
    limitsNetwork?: boolean
    /** The name of a limit that applies to requests of this route in place of the general one. */
    countedAs?: string
    /** The names of query parameters with which requests of this route count against the general limit after all. */
    countedInGeneralWith?: readonly string[]
    /** Requests to this route have only the wide limit of probes. For probes and similar routes. */
    unlimited?: boolean
  }
}

/** Looks up a credential that this process does not know. Throws if too many earlier look-ups found no credential. */
export type LimitedLookUp = <T>(find: () => Promise<T | undefined>) => Promise<T | undefined>

/**
 * Limits requests per credential, or per IP address for anonymous callers. Responses state the limit in the headers
 * `RateLimit-Policy` and `RateLimit` (IETF draft-ietf-httpapi-ratelimit-headers). All credentials of a customer
 * together have `ACCOUNT_SHARE` times the limit, because an account may have many API keys. All guests of a network
 * together have `GUESTS_SHARE` times the limit, because a client may open many guests. All callers of a network without a
 * credential together have `WIDE_SHARE` times the limit, those of a household `HOUSEHOLD_SHARE` times. Each node counts
 * separately.
 *
 * @param shared adds what the other processes of this node count
 */
export function createRateLimits(limits: RateLimits, shared: SharedCounts = ALONE) {
  const createLimiter = (name: string, points: number, duration = WINDOW_SECONDS): RateLimiterMemory => {
    const limiter = new RateLimiterMemory({ keyPrefix: name, points, duration })
    shared.onNote(topicOf(limiter), (key, count) => void limiter.penalty(key, count))
    return limiter
  }
  const entries = Object.entries(limits)
  const limiters = new Map(
    entries
      .flatMap(([name, points]) => [
        createLimiter(name, points),
        createLimiter(`account-${name}`, points * ACCOUNT_SHARE),
        createLimiter(`guests-${name}`, points * GUESTS_SHARE),
        createLimiter(`household-${name}`, points * HOUSEHOLD_SHARE),
        createLimiter(`${OF_NETWORK}${name}`, points * NETWORK_SHARE),
        createLimiter(`${OF_NETWORK}wide-${name}`, points * WIDE_SHARE),
        createLimiter(`household-day-${name}`, points * HOUSEHOLD_SHARE_OF_DAY, DAY_SECONDS),
        createLimiter(`${OF_NETWORK}day-${name}`, points * NETWORK_SHARE_OF_DAY, DAY_SECONDS),
      ])
      .map((limiter) => [limiter.keyPrefix, limiter]),
  )
  const limiterOf = (name: string): RateLimiterMemory => {
    const limiter = limiters.get(name)
    if (limiter === undefined) throw new Error(`there is no rate limit of the name ${name}`)
    return limiter
  }
  const createGroup = (name: string, points: number, share: number): LimiterGroup => ({
    ofAddress: createLimiter(name, points),
    ofHousehold: createLimiter(`household-${name}`, points * HOUSEHOLD_SHARE),
    ofNetwork: createLimiter(`${OF_NETWORK}${name}`, points * share),
  })
  const fruitless = createGroup('fruitless', limits.anonymous, WIDE_SHARE)
  const preflights = createGroup('preflight', limits.anonymous * WIDE_LIMIT, WIDE_SHARE_OF_PROBES)
  const probes = createGroup('probe', limits.anonymous * WIDE_LIMIT, WIDE_SHARE_OF_PROBES)
  /** Returns the limits of probes and preflights, which have no others. */
  const groupOf = ({ method, routeOptions }: FastifyRequest): LimiterGroup | undefined => {
    if (routeOptions.config.unlimited === true) return probes
    // Browsers send OPTIONS requests without credentials before other requests of a page.
    return method === 'OPTIONS' ? preflights : undefined
  }
  const blocks = createBlocks()
  const known = createKnownCredentials()
  /** Refuses a caller, and its further requests before they get here. */
  const refuse = (state: RateLimiterRes, { limiter, name, key, isOfCredential }: Counted, reply: FastifyReply) => {
    const { keyPrefix, points, duration } = limiter
    const { principal } = reply.request
    const credential = isOfCredential === true && principal !== undefined ? bearerOf(reply.request) : undefined
    blocks.add(`${keyPrefix} ${credential ?? key}`, {
      ...{ limit: name, points, windowSeconds: duration, endsAt: Date.now() + state.msBeforeNext },
      principal: credential === undefined ? undefined : principal,
    })
    describe(state, name, limiter, reply)
    return httpProblems.rate_limited({ headers: { 'Retry-After': String(secondsLeft(state)) } })
  }
  const countFruitless = (limiter: RateLimiterMemory, key: string): Promise<RateLimiterRes> => {
    shared.note(topicOf(limiter), key, 1)
    return limiter.penalty(key)
  }

  /** Counts without stating the limit, unless it is exceeded. */
  const consume = async (counted: Counted, reply: FastifyReply) => {
    const { limiter, key } = counted
    shared.note(topicOf(limiter), key, 1)
    try {
      return await limiter.consume(key)
    } catch (error) {
      if (!(error instanceof RateLimiterRes)) throw error
      throw refuse(error, counted, reply)
    }
  }
  const consumeGroup = async (group: LimiterGroup, { ip }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    for (const [limiter, key] of limitersFor(group, ip)) await consume({ limiter, name: limiter.keyPrefix, key }, reply)
  }
  const count = async (
    name: string,
    { principal, ip }: Pick<FastifyRequest, 'principal' | 'ip'>,
    reply: FastifyReply,
  ) => {
    const limiter = limiterOf(name)
    const key = principal?.credentialId ?? addressKey(ip)
    describe(await consume({ limiter, name, key, isOfCredential: true }, reply), name, limiter, reply)
    if (principal?.role !== 'customer') return
    // The headers describe the limit of the credential. The joint limit is stated only if it is exceeded.
    const share = shareOf(principal.userId)
    const joint = share === principal.userId ? `account-${name}` : `guests-${name}`
    await consume({ limiter: limiterOf(joint), name: joint, key: share, isOfCredential: true }, reply)
  }
  /** Counts a request for the household of its caller, and then for the network, for which `ofNetwork` names the limit. */
  const countNetwork = async (name: string, ofNetwork: string, ip: string, reply: FastifyReply): Promise<void> => {
    const address = addressKey(ip)
    const household = householdOf(address)
    const ofHousehold = `household-${name}`
    if (household !== undefined)
      await consume({ limiter: limiterOf(ofHousehold), name: ofHousehold, key: household }, reply)
    await consume({ limiter: limiterOf(ofNetwork), name: ofNetwork, key: networkOf(address) }, reply)
  }
  /** Counts a request without a credential for its network. */
  const countWide = (name: string, ip: string, reply: FastifyReply): Promise<void> =>
    countNetwork(name, `${OF_NETWORK}wide-${name}`, ip, reply)

  return {
    /** Returns the refusal of a request of a caller that exceeds a limit. Call this function before all others. */
    refusalOf: (request: FastifyRequest): Refusal | undefined => {
      if (blocks.areNone()) return undefined
      const credential = bearerOf(request)
      const group = groupOf(request)
      const refused = blocks.refuse(group ? groupBlocks(group, request.ip) : namedBlocks(request, credential))
      if (refused !== undefined || credential === undefined || known.has(credential)) return refused
      const asAnonymous = group === undefined ? namedBlocks(request, undefined) : []
      return blocks.refuseMost([...groupBlocks(fruitless, request.ip), ...asAnonymous])
    },
    /** Sends the refusal, without the further steps of a request. */
    sendRefusal: (refusal: Refusal, request: FastifyRequest, reply: FastifyReply, options: RefusalOptions): void => {
      request.problemCode = RATE_LIMITED.code
      request.principal = refusal.principal
      reply.hijack()
      const respond = () => {
        const seconds = Math.max(1, Math.ceil((refusal.endsAt - Date.now()) / 1_000))
        const { limit, points, windowSeconds } = refusal
        describeLeft({ name: limit, points, duration: windowSeconds, remaining: 0, seconds }, reply)
        const text = textOfProblem(RATE_LIMITED, request, options.documentationBase)
        reply.headers({ 'Cache-Control': 'no-store', 'Retry-After': String(seconds), 'Content-Type': PROBLEM_TYPE })
        reply.header('Content-Length', Buffer.byteLength(text))
        if (hasLargeBody(request) || options.isLeaving?.() === true) reply.header('Connection', 'close')
        reply.raw.writeHead(RATE_LIMITED.status, reply.getHeaders() as OutgoingHttpHeaders)
        reply.raw.end(text)
      }
      if (hasLargeBody(request)) respond()
      else blocks.send(refusal, reply.raw, respond)
    },
    close: blocks.close,
    /** Makes the start fail if a route names an unknown limit. */
    requireKnown: ({ rateLimit, countedAs }: FastifyContextConfig = {}): void => {
      for (const name of [rateLimit, countedAs]) if (name !== undefined) limiterOf(name)
    },
    /** Counts a request that is refused before its caller is known. */
    countAnonymous: async ({ ip }: FastifyRequest, reply: FastifyReply): Promise<void> => {
      await count('anonymous', { principal: undefined, ip }, reply)
      await countWide('anonymous', ip, reply)
    },
    /**
     * Counts a request. Call this function when the caller is known, before the guard of the route and before the body
     * is read, so that rejected requests count too.
     */
    count: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      const group = groupOf(request)
      if (group !== undefined) return consumeGroup(group, request, reply)
      const credential = bearerOf(request)
      if (credential !== undefined) known.note(credential, request.principal !== undefined)
      const name = generalLimitOf(request, request.principal !== undefined)
      await count(name, request, reply)
      const { rateLimit: narrower, limitsNetwork } = request.routeOptions.config
      if (narrower !== undefined) await count(narrower, request, reply)
      if (limitsNetwork !== true) {
        if (request.principal === undefined) await countWide(name, request.ip, reply)
        return
      }
      const narrowest = narrower ?? name
      await countNetwork(narrowest, `${OF_NETWORK}${narrowest}`, request.ip, reply)
      if (narrower === undefined) return
      await countNetwork(`day-${narrower}`, `${OF_NETWORK}day-${narrower}`, request.ip, reply)
    },
    /**
     * Limits look-ups of unknown credentials, which happen before the account is known. Without this limit, each
     * request with an invented credential would cost a query, even if its response is 429. Other anonymous requests
     * from the same IP address do not use up this limit.
     */
    lookUpFor:
      (request: FastifyRequest, reply: FastifyReply): LimitedLookUp =>
      async (find) => {
        const counted = limitersFor(fruitless, request.ip)
        for (const [limiter, key] of counted) {
          const state = await limiter.get(key)
          if (state === null || state.remainingPoints > 0) continue
          await countFruitless(limiter, key)
          throw refuse(state, { limiter, name: 'anonymous', key }, reply)
        }
        const found = await find()
        if (found === undefined) for (const [limiter, key] of counted) await countFruitless(limiter, key)
        return found
      },
  }
}

/** What a request is counted against. */
interface Counted {
  limiter: RateLimiterMemory
  /** Of the limit, as responses state it. */
  name: string
  key: string
  /** Whether the key is that of the credential or the account of the request, if it has one. */
  isOfCredential?: boolean
}

interface RefusalOptions {
  documentationBase: string
  /** Whether the process is about to stop. */
  isLeaving?: (() => boolean) | undefined
}

/** Limits of what each IP address, each household and each network may do. */
interface LimiterGroup {
  ofAddress: RateLimiterMemory
  ofHousehold: RateLimiterMemory
  ofNetwork: RateLimiterMemory
}

/** Returns the limiters of a caller with their keys, the narrowest first. */
function limitersFor(group: LimiterGroup, ip: string): [RateLimiterMemory, string][] {
  const address = addressKey(ip)
  const household = householdOf(address)
  return [
    [group.ofAddress, address],
    ...(household === undefined ? [] : [[group.ofHousehold, household] as [RateLimiterMemory, string]]),
    [group.ofNetwork, networkOf(address)],
  ]
}

const topicOf = ({ keyPrefix }: RateLimiterMemory): string => `rate ${keyPrefix}`

/** Returns the name of the general limit for a request. */
function generalLimitOf({ routeOptions, query }: FastifyRequest, hasCredential: boolean): string {
  const general = hasCredential ? 'signedIn' : 'anonymous'
  const { countedAs = general, countedInGeneralWith: costly = [] } = routeOptions.config
  return costly.some((parameter) => Object.hasOwn(query as object, parameter)) ? general : countedAs
}

/** A body that is not read would take memory while its refusal waits. */
const hasLargeBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > LARGE_UNREAD_BYTES

/** Returns the keys of the blocks of a household and a network. */
function networkBlocks(name: string, ofNetwork: string, ip: string): string[] {
  const address = addressKey(ip)
  const household = householdOf(address)
  const network = `${ofNetwork} ${networkOf(address)}`
  return household === undefined ? [network] : [`household-${name} ${household}`, network]
}

const groupBlocks = (group: LimiterGroup, ip: string): string[] =>
  limitersFor(group, ip).map(([{ keyPrefix }, key]) => `${keyPrefix} ${key}`)

/** Returns the keys of the named limits that `count` counts a request with a valid credential, or without one, against. */
function namedBlocks(request: FastifyRequest, credential: string | undefined): string[] {
  const { ip, routeOptions } = request
  const { rateLimit: narrower, limitsNetwork } = routeOptions.config
  const name = generalLimitOf(request, credential !== undefined)
  const own = (narrower === undefined ? [name] : [name, narrower]).flatMap((limit) =>
    credential === undefined
      ? `${limit} ${addressKey(ip)}`
      : [limit, `account-${limit}`, `guests-${limit}`].map((one) => `${one} ${credential}`),
  )
  if (limitsNetwork !== true)
    return credential === undefined ? [...own, ...networkBlocks(name, `${OF_NETWORK}wide-${name}`, ip)] : own
  const narrowest = narrower ?? name
  const all = [...own, ...networkBlocks(narrowest, `${OF_NETWORK}${narrowest}`, ip)]
  if (narrower === undefined) return all
  return [...all, ...networkBlocks(`day-${narrower}`, `${OF_NETWORK}day-${narrower}`, ip)]
}

function describe(
  state: RateLimiterRes,
  name: string,
  { points, duration }: RateLimiterMemory,
  reply: FastifyReply,
): void {
  describeLeft({ name, points, duration, remaining: state.remainingPoints, seconds: secondsLeft(state) }, reply)
}

interface Left {
  name: string
  points: number
  /** Of the window, in seconds. */
  duration: number
  remaining: number
  /** Until the window ends. */
  seconds: number
}

function describeLeft({ name, points, duration, remaining, seconds }: Left, reply: FastifyReply): void {
  reply.header('RateLimit-Policy', `"${name}";q=${points};w=${duration}`)
  reply.header('RateLimit', `"${name}";r=${remaining};t=${seconds}`)
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000))
}
