import type { FastifyContextConfig, FastifyRequest } from 'fastify'
import { networkOf } from '../../networks.ts'
import { ALONE, type SharedCounts } from '../../processes/shared-counts.ts'
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
 *
 * @param shared adds what the other processes of this node count
 */
export function createRequestCounts(
  { requests, uploads }: Pick<FlowLimits, 'requests' | 'uploads'>,
  shared: SharedCounts = ALONE,
) {
  const counts = shared.counts('requests')
  const networks = createNetworkCounts(requests === undefined ? undefined : requests * CALLERS_AT_ONCE, shared)
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
      const account = `${kind} of account ${accountOf(request)}`
      const caller = `${kind} of caller ${request.principal?.credentialId ?? addressKey(request.ip)}`
      const [ofAccount, ofCaller] = [counts.of(account), counts.of(caller)]
      const what = kind === 'upload' ? 'uploads' : 'requests'
      if (ofAccount >= limit * ACCOUNT_SHARE) throw tooMany(ofAccount, `${what} of this account`)
      if (ofCaller >= limit) throw tooMany(ofCaller, `${what} of this caller`)
      const leaveNetwork = kind === 'upload' || isOfStaff(request) ? undefined : networks.enter(request.ip)
      counts.add(account, 1)
      counts.add(caller, 1)
      return () => {
        leaveNetwork?.()
        counts.add(account, -1)
        counts.add(caller, -1)
      }
    },
  }
}

/**
 * The customers and anonymous callers of a node may together have as many requests in flight as this many callers.
 * Beyond it, networks get equal parts, because a client can register any number of accounts.
 */
const CALLERS_AT_ONCE = 4

function isOfStaff({ principal }: FastifyRequest): boolean {
  return principal !== undefined && principal.role !== 'customer'
}

const ALL = 'all'

/** Counts requests in flight by network. @param most undefined for no limit */
function createNetworkCounts(most: number | undefined, shared: SharedCounts) {
  const counts = shared.counts('requests of networks')
  const total = shared.counts('requests of all networks')
  const add = (network: string, change: 1 | -1): void => {
    total.add(ALL, change)
    counts.add(network, change)
  }
  return {
    /** @throws `rate_limited` if too many requests are in flight and the network has its part of them or more */
    enter: (ip: string): (() => void) => {
      const network = networkOf(ip)
      const own = counts.of(network)
      if (most !== undefined && total.of(ALL) >= most && own >= most / counts.size()) throw tooManyOfNetwork(own)
      add(network, 1)
      return () => add(network, -1)
    },
  }
}

function tooManyOfNetwork(count: number) {
  const detail = `The service is busy, and ${count} requests from your network are in flight. Wait for the response to one of them.`
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': '1' } })
}

function tooMany(count: number, what: string) {
  const detail = `${count} ${what} are in flight. Wait for the response to one of them.`
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': '1' } })
}
