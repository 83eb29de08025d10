import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import type { LookupFunction } from 'node:net'
import { VERSION } from '../../platform/version.ts'
import { createAddressRules } from './address-rules.ts'
import { exchange, type Result } from './exchange.ts'
import { NameNotResolved } from './failures.ts'
import { createResolve, type Resolve } from './resolve.ts'
import { checkTarget, chooseAddresses, parseTarget, type RefusedTarget, type TargetRules } from './target.ts'

/** Posts to addresses that strangers chose, without reaching into our own network and whatever they answer. */
export interface Sender {
  /** Posts once. Whatever the receiver does is the outcome; only headers that are none make it reject. Redirects are not followed. */
  send(request: SendRequest): Promise<SendOutcome>
  /**
   * Judges an address before it is saved.
   *
   * @returns what is wrong with it, as a sentence for its owner; undefined when nothing is
   */
  checkTarget(url: string): Promise<string | undefined>
  /**
   * Ends idle connections, refuses new posts and waits for those under way; once the signal is aborted, these end as `closed`.
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
  /** Networks and addresses that may be sent to besides public ones; unencrypted, too. */
  allowedNetworks: readonly string[]
  /** Whether public addresses may be sent to without encryption. */
  allowHttp?: boolean
  /** For everything together: finding the name, connecting, sending, the whole answer. */
  timeoutMs?: number
  resolve?: Resolve
  /** In PEM; unset: those that Node.js trusts. */
  certificateAuthorities?: string
}

const TIMEOUT_MS = 15_000

/** Shorter than servers keep idle connections, mostly. What one closes in the moment it is used again is sent again. */
const IDLE_MS = 10_000
const IDLE_PER_HOST = 16

/**
 * `node:http` and not undici, although that takes half the processor time (100 µs less a request): here each socket belongs to one
 * request, so that giving up ends it at once even while it connects, and a request knows whether its connection was used before.
 */
export function createSender(options: SenderOptions): Sender {
  const { timeoutMs = TIMEOUT_MS, allowHttp = true, resolve = createResolve(), certificateAuthorities } = options
  const rules: TargetRules = { addresses: createAddressRules(options.allowedNetworks), resolve, allowHttp }
  // Agents of our own take no notice of proxies in the environment.
  const idle = { keepAlive: true, timeout: IDLE_MS, maxFreeSockets: IDLE_PER_HOST }
  const agents = {
    'http:': new HttpAgent({ ...idle, lookup: guardedLookup('http:', rules) }),
    'https:': new HttpsAgent({
      ...idle,
      lookup: guardedLookup('https:', rules),
      // Said, because the environment can say otherwise.
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
 * Finds the addresses of each new connection and passes on those that may be connected to: what is judged is what is connected to,
 * whatever the name says the next time. Not called for IP addresses; those are judged before.
 */
function guardedLookup(protocol: string, rules: TargetRules): LookupFunction {
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
