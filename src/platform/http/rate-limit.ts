import type { FastifyInstance, FastifyReply } from 'fastify'
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { addressKey } from './client-address.ts'
import { httpProblems } from './problems.ts'

/** Requests per minute. Further names are for routes that cost more than most (`config.rateLimit`). */
export interface RateLimits {
  signedIn: number
  anonymous: number
  finalize: number
  upload: number
}

const WINDOW_SECONDS = 60

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A narrower limit that requests to this route are counted by, besides the general one. */
    rateLimit?: 'finalize' | 'upload'
    /** Probes and the like are not counted. */
    unlimited?: boolean
  }
}

/**
 * Limits requests per credential, or per address for anonymous callers, and says so in the `RateLimit-Policy` and
 * `RateLimit` headers (IETF draft-ietf-httpapi-ratelimit-headers). Each process counts for itself.
 *
 * It runs when the caller is known, before the route's guard and before the body is read: refused requests count too.
 */
export function addRateLimits(app: FastifyInstance, limits: RateLimits): void {
  const limiters = Object.fromEntries(
    Object.entries(limits).map(([name, points]) => [
      name,
      new RateLimiterMemory({ keyPrefix: name, points, duration: WINDOW_SECONDS }),
    ]),
  ) as Record<keyof RateLimits, RateLimiterMemory>

  app.addHook('onRequest', async (request, reply) => {
    if (request.routeOptions.config.unlimited === true) return
    const name = request.principal === undefined ? 'anonymous' : 'signedIn'
    const key = request.principal?.credentialId ?? addressKey(request.ip)
    await consume(limiters[name], name, limits[name], key, reply)
    const narrower = request.routeOptions.config.rateLimit
    if (narrower !== undefined) await consume(limiters[narrower], narrower, limits[narrower], key, reply)
  })
}

async function consume(
  limiter: RateLimiterMemory,
  name: string,
  limit: number,
  key: string,
  reply: FastifyReply,
): Promise<void> {
  try {
    describe(await limiter.consume(key), name, limit, reply)
  } catch (error) {
    if (!(error instanceof RateLimiterRes)) throw error
    describe(error, name, limit, reply)
    throw httpProblems.rate_limited({ headers: { 'Retry-After': String(secondsLeft(error)) } })
  }
}

function describe(state: RateLimiterRes, name: string, limit: number, reply: FastifyReply): void {
  reply.header('RateLimit-Policy', `"${name}";q=${limit};w=${WINDOW_SECONDS}`)
  reply.header('RateLimit', `"${name}";r=${state.remainingPoints};t=${secondsLeft(state)}`)
}

function secondsLeft(state: RateLimiterRes): number {
  return Math.max(1, Math.ceil(state.msBeforeNext / 1000))
}
