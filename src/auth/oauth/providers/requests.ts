import { type Configuration, type CustomFetchOptions, customFetch, ResponseBodyError } from 'openid-client'
import { readLimitedBody } from '../../../platform/limited-body.ts'
import type { Log } from '../../../platform/log.ts'
import { Problem } from '../../../platform/problem.ts'
import { authProblems } from '../../problems.ts'
import type { ProviderName } from './provider.ts'

/** Timeout of one request to a provider, including its whole response. */
export const PROVIDER_TIMEOUT_SECONDS = 10

/** Profiles and key sets are a few kilobytes. */
const MAX_ANSWER_BYTES = 256 * 1024

const RETRY_AFTER_SECONDS = 30

/** Options of openid-client: our way of asking, never past these limits. */
export const bounded = { [customFetch]: fetchBounded } as const

export function boundRequests(configuration: Configuration, timeoutSeconds: number): void {
  configuration[customFetch] = fetchBounded
  configuration.timeout = timeoutSeconds
}

/**
 * Asks a provider and reads its answer to the end, within the limits of size and time. Redirects are not followed
 * (openid-client says so in the options): they could lead into our own network.
 *
 * @throws `provider_unavailable` when it does not answer or says that it cannot; `provider_answer_invalid` for too much,
 *   and for what is not UTF-8
 */
async function fetchBounded(url: string, options: CustomFetchOptions): Promise<Response> {
  let answer: { response: Response; body: Buffer<ArrayBuffer> | undefined }
  try {
    const response = await fetch(url, options as RequestInit)
    answer = { response, body: await readLimitedBody(response, MAX_ANSWER_BYTES) }
  } catch {
    throw unavailable()
  }
  const { response, body } = answer
  const { status, headers } = response
  if (status >= 500 || status === 429) throw unavailable()
  if (body === undefined || status < 200 || !isUtf8(body)) throw answerInvalid()
  return new Response(body.length === 0 ? null : body, { status, headers })
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
 * Runs a conversation with a provider. Whatever goes wrong in it is the provider's: what is not a problem already becomes
 * `provider_answer_invalid`, and the log says why, without what the provider sent.
 */
export async function conversing<T>(
  { log, provider }: { log: Log; provider: ProviderName },
  converse: () => Promise<T>,
): Promise<T> {
  try {
    return await converse()
  } catch (error) {
    const cause = (error as Error).cause
    const problem = [error, cause].find((one) => one instanceof Problem) ?? answerInvalid()
    log.warn({ provider, code: problem.code, reason: reasonOf(error) }, 'signing in with a provider failed')
    throw problem
  }
}

/** Codes of the library and of RFC 6749; messages could hold what the provider sent. */
function reasonOf(error: unknown): string {
  if (error instanceof ResponseBodyError) return `${error.code}: ${error.error.slice(0, 60)}`
  const { code, name } = error as { code?: unknown; name?: unknown }
  return String(code ?? name ?? 'unknown')
}

export function unavailable(): Problem {
  return authProblems.provider_unavailable({ headers: { 'Retry-After': String(RETRY_AFTER_SECONDS) } })
}

export function answerInvalid(): Problem {
  return authProblems.provider_answer_invalid({ headers: { 'WWW-Authenticate': 'Bearer realm="platen"' } })
}
