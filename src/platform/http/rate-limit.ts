import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { addressKey } from './core/client-address.ts'
import { ACCOUNT_SHARE } from './core/principal.ts'
import { httpProblems } from './core/problems.ts'

/** Requests per minute. Features name further limits in the `config` of their routes. */
export interface RateLimits {
  signedIn: number
  anonymous: number
  [name: string]: number
}

const WINDOW_SECONDS = 60

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A narrower limit that requests to this route are counted by, besides the general one. */
    rateLimit?: string
    /** The limit that requests to this route are counted by, instead of the general one. */
    countedAs?: string
    /** Probes and the like are not counted. */
    unlimited?: boolean
  }
}

/** Looks for a credential that this process does not know, unless too many that were looked for before do not exist. */
export type LimitedLookUp = <T>(find: () => Promise<T | undefined>) => Promise<T | undefined>

/**
 * Limits requests per credential, or per IP address for anonymous callers, and states it in the `RateLimit-Policy` and
 * `RateLimit` headers (IETF draft-ietf-httpapi-ratelimit-headers). All credentials of a customer together have
 * `ACCOUNT_SHARE` times as much: an account may have many API keys. Each process counts for itself.
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
    if (limiter === undefined) throw new Error(`there is no rate limit ${name}`)
    return limiter
  }
  const fruitless = createLimiter('fruitless', limits.anonymous)

  const count = async (name: string, { principal, ip }: FastifyRequest, reply: FastifyReply) => {
    await consume(limiterOf(name), name, principal?.credentialId ?? addressKey(ip), reply)
    if (principal?.role !== 'customer') return
    // Its remainder is stated when it is used up only: the headers are about the credential.
    const account = `account-${name}`
    const limiter = limiterOf(account)
    await limiter.consume(principal.userId).catch((error: unknown) => {
      throw error instanceof RateLimiterRes ? refusal(error, account, limiter, reply) : error
    })
  }

  return {
    /** Rejects the limits of a route that do not exist, before the service starts. */
    requireKnown: ({ rateLimit, countedAs }: FastifyContextConfig = {}): void => {
      for (const name of [rateLimit, countedAs]) if (name !== undefined) limiterOf(name)
    },
    /** To be run when the caller is known, before the route's guard and before the body is read: refused requests count too. */
    count: async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
      // A browser asks so before each kind of request of a page, without the credential that has a limit of its own.
      if (request.method === 'OPTIONS' || request.routeOptions.config.unlimited === true) return
      const general = request.principal === undefined ? 'anonymous' : 'signedIn'
      const name = request.routeOptions.config.countedAs ?? general
      await count(name, request, reply)
      const narrower = request.routeOptions.config.rateLimit
      if (narrower !== undefined) await count(narrower, request, reply)
    },
    /**
     * For looking a credential up before it is known whose limit counts. Without it invented credentials would cost a
     * query each, however often they are answered 429. An address where nobody invents any is not held up by its other
     * anonymous requests.
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
