import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { addressKey } from './core/client-address.ts'
import { ACCOUNT_SHARE } from './core/principal.ts'
import { httpProblems } from './core/problems.ts'

/** Requests per minute. Routes can name further limits in their `config`. */
export interface RateLimits {
  signedIn: number
  anonymous: number
  [name: string]: number
}

const WINDOW_SECONDS = 60

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The name of a narrower limit that applies to requests of this route in addition to the general one. */
    rateLimit?: string
    /** The name of a limit that applies to requests of this route in place of the general one. */
    countedAs?: string
    /** Requests to this route are not counted. For probes and similar routes. */
    unlimited?: boolean
  }
}

/** Looks up a credential that this process does not know. Throws if too many earlier look-ups found no credential. */
export type LimitedLookUp = <T>(find: () => Promise<T | undefined>) => Promise<T | undefined>

/**
 * Limits requests per credential, or per IP address for anonymous callers. Responses state the limit in the headers
 * `RateLimit-Policy` and `RateLimit` (IETF draft-ietf-httpapi-ratelimit-headers). All credentials of a customer
 * together have `ACCOUNT_SHARE` times the limit, because an account may have many API keys. Each process counts
 * separately.
 */
export function createRateLimits(limits: RateLimits) {
  const createLimiter = (name: string, points: number): RateLimiterMemory =>
    new RateLimiterMemory({ keyPrefix: name, points, duration: WINDOW_SECONDS })
  const entries = Object.entries(limits)
  const limiters = new Map(
    entries.flatMap(([name, points]) => [
      [name, createLimiter(name, points)],
      [`account-${name}`, createLimiter(`account-${name}`, points * ACCOUNT_SHARE)],
    ]),
  )
  const limiterOf = (name: string): RateLimiterMemory => {
    const limiter = limiters.get(name)
    if (limiter === undefined) throw new Error(`there is no rate limit of the name ${name}`)
    return limiter
  }
  const fruitless = createLimiter('fruitless', limits.anonymous)

  const count = async (name: string, { principal, ip }: FastifyRequest, reply: FastifyReply) => {
    await consume(limiterOf(name), name, principal?.credentialId ?? addressKey(ip), reply)
    if (principal?.role !== 'customer') return
    // The headers describe the limit of the credential. The limit of the account is stated only if it is exceeded.
    const account = `account-${name}`
    const limiter = limiterOf(account)
    await limiter.consume(principal.userId).catch((error: unknown) => {
      throw error instanceof RateLimiterRes ? refusal(error, account, limiter, reply) : error
    })
  }

  return {
    /** Makes the start fail if a route names an unknown limit. */
    requireKnown: ({ rateLimit, countedAs }: FastifyContextConfig = {}): void => {
      for (const name of [rateLimit, countedAs]) if (name !== undefined) limiterOf(name)
    },
    /**
     * Counts a request. Call this function when the caller is known, before the guard of the route and before the body
     * is read, so that rejected requests count too.
     */
    count: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      // Browsers send OPTIONS requests without credentials before other requests of a page, so these requests are not
      // counted.
      if (request.method === 'OPTIONS' || request.routeOptions.config.unlimited === true) return
      const general = request.principal === undefined ? 'anonymous' : 'signedIn'
      const name = request.routeOptions.config.countedAs ?? general
      await count(name, request, reply)
      const narrower = request.routeOptions.config.rateLimit
      if (narrower !== undefined) await count(narrower, request, reply)
    },
    /**
     * Limits look-ups of unknown credentials, which happen before the account is known. Without this limit, each
     * request with an invented credential would cost a query, even if its response is 429. Other anonymous requests
     * from the same IP address do not use up this limit.
     */
    lookUpFor:
      (request: FastifyRequest, reply: FastifyReply): LimitedLookUp =>
      async (find) => {
        const key = addressKey(request.ip)
        const state = await fruitless.get(key)
        if (state !== null && state.remainingPoints <= 0) throw refusal(state, 'anonymous', fruitless, reply)
        const found = await find()
        if (found === undefined) await fruitless.penalty(key)
        return found
      },
  }
}

async function consume(limiter: RateLimiterMemory, name: string, key: string, reply: FastifyReply): Promise<void> {
  try {
    describe(await limiter.consume(key), name, limiter, reply)
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error
    throw refusal(error, name, limiter, reply)
  }
}

function refusal(state: RateLimiterRes, name: string, limiter: RateLimiterMemory, reply: FastifyReply) {
  describe(state, name, limiter, reply)
  return httpProblems.rate_limited({ headers: { 'Retry-After': String(secondsLeft(state)) } })
}

function describe(state: RateLimiterRes, name: string, { points }: RateLimiterMemory, reply: FastifyReply): void {
  reply.header('RateLimit-Policy', `"${name}";q=${points};w=${WINDOW_SECONDS}`)
  reply.header('RateLimit', `"${name}";r=${state.remainingPoints};t=${secondsLeft(state)}`)
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000))
}
