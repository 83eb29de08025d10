import type { FastifyContextConfig, FastifyRequest } from 'fastify'
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
  const counts = new Map<string, number>()
  const leave = (key: string): void => {
    const left = (counts.get(key) ?? 1) - 1
    if (left === 0) counts.delete(key)
    else counts.set(key, left)
  }
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
        const count = counts.get(key) ?? 0
        if (count >= most) throw tooMany(count, kind === 'upload' ? 'uploads' : 'requests', most > limit)
      }
      for (const key of limits.keys()) counts.set(key, (counts.get(key) ?? 0) + 1)
      return () => {
        for (const key of limits.keys()) leave(key)
      }
    },
  }
}

function tooMany(count: number, what: string, isAccount: boolean) {
  const detail = `${count} ${what} of this ${isAccount ? 'account' : 'caller'} are in flight. Wait for the response to one of them.`
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': '1' } })
}
