import { type Configuration, type CustomFetchOptions, customFetch, ResponseBodyError } from 'openid-client'
import { fetchOutbound, type OutboundRequest, ResponseTooLong } from '../../../platform/outbound-http.ts'
import { Problem } from '../../../platform/problem.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import { authProblems } from '../../problems.ts'

/** Timeout of one request to a provider, including the whole response. */
export const PROVIDER_TIMEOUT_SECONDS = 10

/** Limits of one response. Profiles and key sets have a few kilobytes. */
const LIMITS = { timeoutMs: PROVIDER_TIMEOUT_SECONDS * 1_000, maxBytes: 256 * 1024 }

const RETRY_AFTER_SECONDS = 30

/** Option of openid-client that limits the time and the size of its requests. */
export const boundedFetchOptions = { [customFetch]: fetchBounded } as const

export function boundRequests(configuration: Configuration, timeoutSeconds: number): void {
  configuration[customFetch] = fetchBounded
  configuration.timeout = timeoutSeconds
}

/**
 * Requests a URL of a provider and reads the whole response, within the limits. The options of openid-client disable
 * redirects, because a redirect could lead into the internal network.
 *
 * @throws `provider_unavailable` if no response arrives or its status is 5xx or 429; `provider_answer_invalid` if the
 * response is too large or not UTF-8
 */
async function fetchBounded(url: string, options: CustomFetchOptions): Promise<Response> {
  const { status, headers, body } = await send(url, options as Omit<OutboundRequest, keyof typeof LIMITS>)
  if (status >= 500 || status === 429) throw unavailable()
  if (body === undefined || status < 200 || !isUtf8(body)) throw responseInvalid()
  return new Response(body.length === 0 ? null : body, { status, headers })
}

/** Sends a request and reads the response. In the result, `body` is undefined if the response is too large. */
async function send(url: string, options: Omit<OutboundRequest, keyof typeof LIMITS>) {
  try {
    const response = await fetchOutbound(url, { ...options, ...LIMITS })
    const body = await response.read().catch((error: unknown) => {
      if (!(error instanceof ResponseTooLong)) throw error
    })
    return { status: response.status, headers: response.headers, body: body ?? undefined }
  } catch {
    throw unavailable()
  }
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false
  }
}

/**
 * Runs requests to a provider. An error that is not a `Problem` becomes `provider_answer_invalid`. The log states the
 * reason, without data that the provider sent.
 */
export async function withProviderProblems<T>(
  { log, provider }: { log: Log; provider: string },
  exchange: () => Promise<T>,
): Promise<T> {
  try {
    return await exchange()
  } catch (error) {
    const cause = (error as Error).cause
    const problem = [error, cause].find((one) => one instanceof Problem) ?? responseInvalid()
    log.warn({ provider, code: problem.code, reason: reasonOf(error) }, 'a request to a sign-in provider failed')
    throw problem
  }
}

/**
 * Returns the reason of a failure for the log. It contains only codes of the library and of RFC 6749, because messages
 * could quote the response of the provider.
 */
function reasonOf(error: unknown): string {
  if (error instanceof ResponseBodyError) return `${error.code}: ${error.error.slice(0, 60)}`
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'unknown')
}

export function unavailable(): Problem {
  return authProblems.provider_unavailable({ headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
}

export function responseInvalid(): Problem {
  return authProblems.provider_answer_invalid({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
}
