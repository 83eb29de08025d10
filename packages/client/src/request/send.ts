import type { WithResponse } from '../call.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { PlatenConnectionError, PlatenError, type ProblemInput } from '../errors.ts'
import { uploadTransport } from '../uploads/upload-transport.ts'
import { type CookieUse, withCookies } from './cookies.ts'
import type { PreparedRequest } from './prepare.ts'
import { BLOCKED_HINT, mayBeBlocked, type Reach } from './reach.ts'
import { delayBefore, type Failure, isWorthRetrying } from './retry.ts'
import { type Attempt, type Fetch, sendOnce } from './transport.ts'
import { wait } from './wait.ts'

export interface SendContext extends CookieUse {
  fetch: Fetch
  credentials: Credentials
  timeoutMs: number
  maxRetries: number
  reach: Reach
}

/** Repetitions while it is not known whether the page may read the responses: enough for a lost connection. */
const BLOCKED_RETRIES = 1

/**
 * Sends a request with a credential. Renews the credential once if it is refused, and repeats the request after
 * failures that another attempt may overcome.
 *
 * @throws {PlatenError} {PlatenConnectionError} the reason of an aborted signal
 */
export async function send(context: SendContext, request: PreparedRequest): Promise<WithResponse<unknown>> {
  const { options } = request
  const { signal } = options
  let { maxRetries = context.maxRetries } = options
  let hasRenewed = false
  for (let attempt = 0; ; ) {
    const token = await context.credentials.token(request)
    const sent = await sendOnce(transportOf(context, request), attemptOf(context, request, token), (response) => {
      context.reach.hasResponded = true
      return readResponse(request, response)
    }).catch((error: unknown) => failureOf(error))
    if (!('failure' in sent)) return sent
    const { error, failure } = sent
    if (error instanceof PlatenConnectionError && mayBeBlocked(context.reach, error)) {
      error.message += `. ${BLOCKED_HINT}`
      maxRetries = Math.min(maxRetries, BLOCKED_RETRIES)
    }
    if (request.body instanceof ReadableStream) throw error
    if (failure.status === 401 && token !== undefined && !hasRenewed) {
      hasRenewed = true
      if (await context.credentials.renew(token, signal)) continue
    }
    const delay =
      attempt < maxRetries && isWorthRetrying(failure, traitsOf(request))
        ? delayBefore(attempt, failure.headers)
        : undefined
    if (delay === undefined) throw error
    attempt += 1
    await wait(delay, signal)
  }
}

function transportOf({ fetch }: SendContext, { options: { onProgress } }: PreparedRequest): Fetch {
  return onProgress === undefined ? fetch : uploadTransport(fetch, onProgress)
}

function attemptOf(context: SendContext, request: PreparedRequest, token: string | undefined): Attempt {
  const { operation, body, options } = request
  const { url, headers, credentials } = withCookies(context, request)
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  // The time of an upload depends on the size of the file, so only the caller can limit it.
  const timeoutMs = options.timeoutMs ?? (operation.input === 'file' ? 0 : context.timeoutMs)
  return {
    ...{ operation: operation.name, url, method: operation.method, headers, timeoutMs, signal: options.signal },
    ...(body === undefined ? {} : { body }),
    ...(body instanceof ReadableStream ? { duplex: 'half' as const } : {}),
    ...(credentials === undefined ? {} : { credentials }),
  }
}

function traitsOf({ operation, headers }: PreparedRequest) {
  return {
    isRepeatable: operation.isRepeatable,
    hasKey: operation.takesKey && headers.has('Idempotency-Key'),
    // `finalize` compares the revision only, so its repetition succeeds.
    isConditional: headers.has('If-Match') && operation.name !== 'designs.finalize',
  }
}

interface Failed {
  error: unknown
  failure: Failure
}

/** Returns what a retry needs to know of a failure. Throws other errors, such as the reason of an aborted signal. */
function failureOf(error: unknown): Failed {
  if (error instanceof PlatenConnectionError) {
    return { error, failure: { status: undefined, code: undefined, headers: undefined } }
  }
  if (error instanceof PlatenError) return { error, failure: error }
  throw error
}

async function readResponse(request: PreparedRequest, response: Response): Promise<WithResponse<unknown>> {
  const { operation } = request
  const { status, headers } = response
  if (status >= 400) throw new PlatenError(await problemOf(operation.name, response))
  const etag = headers.get('etag') ?? undefined
  return { data: await dataOf(request, response), status, headers, etag }
}

async function dataOf({ operation: { result } }: PreparedRequest, response: Response): Promise<unknown> {
  if (result === 'binary' || result === 'events') return response
  const text = await response.text()
  if (result === 'text') return text
  return text === '' ? undefined : JSON.parse(text)
}

async function problemOf(operation: string, response: Response): Promise<ProblemInput> {
  const { status, headers } = response
  const text = await response.text()
  return { operation, status, headers, body: isJson(headers) ? parseObject(text) : undefined }
}

const isJson = (headers: Headers): boolean => /\bjson\b/.test(headers.get('content-type') ?? '')

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
