import { Agent as HttpAgent } from 'node:http'
import type { LookupFunction } from 'node:net'
import { VERSION } from '../../platform/version.ts'
import { createAddressRules } from './address-rules.ts'
import { exchange, type Result } from './exchange.ts'
import { NameNotResolved } from './failures.ts'
import { GatedAgent, type SharedRequest } from './gated-agent.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { checkTarget, chooseAddresses, parseTarget, type RefusedTarget, type TargetRules } from './target.ts'

/**
 * Sends requests to URLs that users chose. It does not let them reach the internal network, and handles any response.
 */
export interface Sender {
  /**
   * Sends a POST request once, without following redirects. Every behaviour of the receiver results in an outcome; the
   * promise rejects only if the given headers are invalid.
   */
  send(request: SendRequest): Promise<SendOutcome>
  /**
   * Checks a URL before it is saved.
   *
   * @returns a sentence for the owner of the endpoint if the URL is not allowed; otherwise undefined
   */
  checkTarget(url: string): Promise<string | undefined>
  /**
   * Closes idle connections, rejects new requests and waits for running requests. When the signal aborts, running
   * requests end with the error `closed`.
   */
  close(signal?: AbortSignal): Promise<void>
}

export interface SendRequest extends SharedRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
}

export type SendOutcome = Result & { durationMs: number }

export type { SendError } from './failures.ts'

export interface SenderOptions {
  /** Networks to which requests are allowed although they are not public, also without encryption. */
  allowedNetworks: readonly string[]
  /** Whether requests to public IP addresses may be unencrypted. */
  allowHttp?: boolean
  /** Time limit of one request, including name resolution, connection and the whole response. */
  timeoutMs?: number
  resolve?: Resolve
  /** Certificates of trusted authorities in PEM format. Default: those that Node.js trusts. */
  certificateAuthorities?: string
}

/** Returns which URLs a sender with these options allows. */
export function targetRulesOf(options: SenderOptions): TargetRules {
  const { allowHttp = true, resolve = createResolve() } = options
  return { addresses: createAddressRules(options.allowedNetworks), resolve, allowHttp }
}

const TIMEOUT_MS = 15_000

/**
 * Time after which an idle connection is closed. Most servers keep idle connections longer. If the receiver has closed
 * the connection, the request is repeated.
 */
const IDLE_MS = 10_000
const IDLE_PER_HOST = 16

/**
 * Creates a sender. It uses `node:http`, although undici takes 100 µs less CPU time per request, which is half of it.
 * With `node:http`, each socket belongs to one request. Therefore an abort ends a request at once, even while it
 * connects, and a request knows whether its connection was used before.
 */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs = TIMEOUT_MS, certificateAuthorities } = options
  const rules = targetRulesOf(options)
  // Separate agents, because the global ones can use proxies from the environment.
  const idle = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_PER_HOST }
  const authorities = certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }
  const agents = {
    'http:': new HttpAgent({ ...idle, lookup: guardedLookup('http:', rules) }),
    'https:': new GatedAgent({ ...idle, lookup: guardedLookup('https:', rules), ...authorities }),
  }
  const closing = new AbortController()
  const running = new Set<Promise<SendOutcome>>()
  let isClosed = false

  async function post({ url, headers, body, share }: SendRequest): Promise<SendOutcome> {
    const begin = performance.now()
    const result = await attempt({ url, headers, share, body: typeof body === 'string' ? Buffer.from(body) : body })
    return { ...result, durationMs: Math.round(performance.now() - begin) }
  }

  async function attempt(request: SendRequest & { body: Uint8Array }): Promise<Result> {
    const { headers, body, share } = request
    if (isClosed) return { kind: 'failed', error: 'closed', detail: 'The service is stopping.' }
    let url: URL
    try {
      url = parseTarget(request.url, rules)
    } catch (error) {
      return { kind: 'failed', error: 'refused_target', detail: (error as RefusedTarget).message }
    }
    return exchange({
      url,
      agent: agents[url.protocol as keyof typeof agents],
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `Platen/${VERSION}`, ...headers },
      body,
      share,
      timeoutMs,
      signal: closing.signal,
    })
  }

  return {
    send: (request) => {
      const outcome = post(request)
      running.add(outcome)
      const done = () => running.delete(outcome)
      outcome.then(done, done)
      return outcome
    },
    checkTarget: (url) => checkTarget(url, rules),
    close: async (signal) => {
      isClosed = true
      const abort = () => closing.abort()
      if (signal?.aborted === true) abort()
      signal?.addEventListener('abort', abort, { once: true })
      await Promise.allSettled(running)
      signal?.removeEventListener('abort', abort)
      for (const agent of Object.values(agents)) agent.destroy()
    },
  }
}

/**
 * Returns the lookup function of new connections, which allows only some IP addresses. The connection uses the same
 * addresses that were checked, even if DNS returns others later. Node.js does not call the function if the host is an
 * IP address; `parseTarget` checks those.
 */
export function guardedLookup(protocol: string, rules: TargetRules): LookupFunction {
  return (hostname, { all }, callback) => {
    rules
      .resolve(hostname)
      .catch((error: NodeJS.ErrnoException) => {
        throw new NameNotResolved(error.code)
      })
      .then((found) => chooseAddresses({ protocol, hostname }, found, rules))
      .then(
        (addresses) => {
          const entries = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
          const [first] = entries
          if (all === true) callback(null, entries)
          else callback(null, first?.address ?? '', first?.family)
        },
        (error: RefusedTarget | NameNotResolved) => callback(error, []),
      )
  }
}
