import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { VERSION } from '../../platform/version.ts'
import { createAddressRules } from './address-rules.ts'
import { exchange, type Result } from './exchange.ts'
import { NameNotResolved } from './failures.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { checkTarget, chooseAddresses, parseTarget, type RefusedTarget, type TargetRules } from './target.ts'

/** Posts to URLs that users chose. It protects the internal network and tolerates any response. */
export interface Sender {
  /**
   * Posts once, without following redirects. Whatever the receiver does becomes the outcome; only invalid headers
   * reject.
   */
  send(request: SendRequest): Promise<SendOutcome>
  /**
   * Checks a URL before it is saved.
   *
   * @returns a sentence for its owner if it is refused; undefined if it is allowed
   */
  checkTarget(url: string): Promise<string | undefined>
  /**
   * Closes idle connections, refuses new requests and waits for running ones. When the signal aborts, these end as
   * `closed`.
   */
  close(signal?: AbortSignal): Promise<void>
}

export interface SendRequest {
  url: string
  headers: Readonly<Record<string, string>>
  body: string | Uint8Array
}

export type SendOutcome = Result & { durationMs: number }

export type { SendError } from './failures.ts'

export interface SenderOptions {
  /** Networks that are allowed besides public IP addresses, also without encryption. */
  allowedNetworks: readonly string[]
  /** Allows public IP addresses without encryption. */
  allowHttp?: boolean
  /** For everything together: name resolution, connection, request, whole response. */
  timeoutMs?: number
  resolve?: Resolve
  /** In PEM. Default: those that Node.js trusts. */
  certificateAuthorities?: string
}

const TIMEOUT_MS = 15_000

/** Shorter than most servers keep idle connections. A request that meets a closed one is repeated. */
const IDLE_MS = 10_000
const IDLE_PER_HOST = 16

/**
 * Uses `node:http`, although undici takes half the CPU time (100 µs less per request): here each socket belongs to one
 * request. An abort therefore ends it at once, even while it connects, and a request knows whether its connection was
 * used before.
 */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs = TIMEOUT_MS, allowHttp = true, resolve = createResolve(), certificateAuthorities } = options
  const rules: TargetRules = { addresses: createAddressRules(options.allowedNetworks), resolve, allowHttp }
  // Own agents ignore proxies in the environment.
  const idle = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_PER_HOST }
  const agents = {
    'http:': new HttpAgent({ ...idle, lookup: guardedLookup('http:', rules) }),
    'https:': new HttpsAgent({
      ...idle,
      lookup: guardedLookup('https:', rules),
      // Explicit, because an environment variable can change the default.
      rejectUnauthorized: true,
      ...(certificateAuthorities === undefined ? {} : { ca: certificateAuthorities }),
    }),
  }
  const closing = new AbortController()
  const running = new Set<Promise<SendOutcome>>()
  let isClosed = false

  async function post({ url, headers, body }: SendRequest): Promise<SendOutcome> {
    const begin = performance.now()
    const result = await attempt(url, headers, typeof body === 'string' ? Buffer.from(body) : body)
    return { ...result, durationMs: Math.round(performance.now() - begin) }
  }

  async function attempt(address: string, headers: SendRequest['headers'], body: Uint8Array): Promise<Result> {
    if (isClosed) return { kind: 'failed', error: 'closed', detail: 'The service is stopping.' }
    let url: URL
    try {
      url = parseTarget(address, rules)
    } catch (error) {
      return { kind: 'failed', error: 'refused_target', detail: (error as RefusedTarget).message }
    }
    return exchange({
      url,
      agent: agents[url.protocol as keyof typeof agents],
      headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': `Platen/${VERSION}`, ...headers },
      body,
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
 * Filters the IP addresses of each new connection. The addresses that are checked are the ones that are connected to,
 * whatever DNS answers later. Node.js does not call it for literal IP addresses, which `parseTarget` checks.
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
