import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { createCounts } from '../../concurrency/counts.ts'
import { addressKey } from '../core/client-address.ts'
import { ACCOUNT_SHARE, accountOf } from '../core/principal.ts'
import { httpProblems } from '../core/problems.ts'
import type { FlowLimits } from './limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Responses of this route may stay open for any time and have a limit of their own. */
    staysOpen?: boolean
  }
}

/**
 * Counts requests in flight, for each credential and for each account. Uploads and finalizations are counted
 * separately.
 */
export function createRequestCounts({ requests, uploads }: Pick<FlowLimits, 'requests' | 'uploads'>) {
  const counts = createCounts()
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
      const limits = new Map([[`${kind} of account ${accountOf(request)}`, limit * ACCOUNT_SHARE]])
      limits.set(`${kind} of caller ${request.principal?.credentialId ?? addressKey(request.ip)}`, limit)
      for (const [key, most] of limits) {
        const count = counts.of(key)
        if (count >= most) throw tooMany(count, kind === 'upload' ? 'uploads' : 'requests', most > limit)
      }
      for (const key of limits.keys()) counts.add(key, 1)
      return () => {
        for (const key of limits.keys()) counts.add(key, -1)
      }
    },
  }
}

function tooMany(count: number, what: string, isAccount: boolean) {
  const detail = `${count} ${what} of this ${isAccount ? 'account' : 'caller'} are in flight. Wait for the response to one of them.`
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': '1' } })
}
