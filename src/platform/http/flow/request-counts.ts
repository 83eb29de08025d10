import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { addressKey } from '../client-address.ts'
import { httpProblems } from '../problems.ts'
import type { FlowLimits } from './limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Responses of this route stay open for as long as the client likes, and have a limit of their own. */
    staysOpen?: boolean
  }
}

/** Counts the requests of each credential that are in flight. Uploads count apart, and so do requests to finalize. */
export function createRequestCounts({ requests, uploads }: Pick<FlowLimits, 'requests' | 'uploads'>) {
  const counts = new Map<string, number>()
  return {
    /**
     * Counts a request until the returned function is called.
     *
     * @throws `rate_limited`
     */
    enter: (
      request: FastifyRequest,
      { rateLimit, staysOpen }: Pick<FastifyContextConfig, 'rateLimit' | 'staysOpen'>,
    ): (() => void) => {
      const kind = rateLimit ?? 'request'
      const limit = kind === 'upload' ? uploads : requests
      if (limit === undefined || staysOpen === true) return () => undefined
      const key = `${kind} ${request.principal?.credentialId ?? addressKey(request.ip)}`
      const count = counts.get(key) ?? 0
      if (count >= limit) throw tooMany(count, kind === 'upload' ? 'uploads' : 'requests')
      counts.set(key, count + 1)
      return () => {
        const left = (counts.get(key) ?? 1) - 1
        if (left === 0) counts.delete(key)
        else counts.set(key, left)
      }
    },
  }
}

function tooMany(count: number, what: string) {
  const detail = `${count} ${what} of this caller are in flight. Wait until one of them is answered.`
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': '1' } })
}
