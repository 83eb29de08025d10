import { type WithResponse, withoutContent } from '../call.ts'
import type { Credentials } from '../credentials/credentials.ts'
import { PlatenConnectionError, PlatenError, type ProblemInput } from '../errors.ts'
import { uploadTransport } from '../uploads/upload-transport.ts'
import { type CookieUse, withCookies } from './cookies.ts'
import type { PreparedRequest } from './prepare.ts'
import { BLOCKED_HINT, isInBrowser, mayBeBlocked, type Reach } from './reach.ts'
import { delayBefore, type Failure, isWorthRetrying } from './retry.ts'
import { type Attempt, type Fetch, limited, sendOnce } from './transport.ts'
import { share, wait } from './wait.ts'

/** The name and version of the package. */
const USER_AGENT = 'platen-client/0.1.0'

export interface SendContext extends CookieUse {
  fetch: Fetch
  /** Whether the program has replaced `fetch`. */
  hasOwnFetch: boolean
  credentials: Credentials
  timeoutMs: number
  maxRetries: number
  reach: Reach
}

/** Repetitions while it is not known whether the page may read the responses: enough for a lost connection. */
const BLOCKED_RETRIES = 1

/** How long to wait for the first attempt of a request, which is still in progress. */
const LONGEST_PROGRESS_MS = 60_000

/**
 * Sends a request with a credential. Renews the credential once if it is refused, and repeats the request after
 * failures that another attempt may overcome.
 *
 * @throws {PlatenError} {PlatenConnectionError} the reason of an aborted signal
 */
export async function send(context: SendContext, request: PreparedRequest): Promise<WithResponse<unknown>> {
  const { signal } = request.options
  const attempts = startAttempts(context, request)
  for (;;) {
    const token = await inTime(context, request, () => context.credentials.token(request))
    const sent = await sendOnce(transportOf(context, request), attemptOf(context, request, token), (response) => {
      context.reach.hasResponded = true
      return readResponse(request, response)
    }).catch((error: unknown) => failureOf(error))
    if (!('failure' in sent)) return sent
    const { failure } = sent
    if (attempts.isDone(failure)) return withoutContent()
    if (attempts.mayRenew(failure, token)) {
      if (await inTime(context, request, () => context.credentials.renew(token as string, signal))) continue
    }
    const delay = attempts.delayAfter(sent)
    if (delay === undefined) throw sent.error
    await wait(delay, signal)
  }
}

/** Limits the time for a credential, such as for a function of the program that does not return. */
function inTime<T>(context: SendContext, { operation, url, options }: PreparedRequest, work: () => Promise<T>) {
  const { signal, timeoutMs = context.timeoutMs } = options
  const limits = { operation: operation.name, url, signal, timeoutMs }
  return limited(limits, 'credential', (both) => share(work(), both))
}

/** Decides what follows after each failure of a request. */
function startAttempts(context: SendContext, request: PreparedRequest) {
  const { operation, options, body } = request
  let { maxRetries = context.maxRetries } = options
  let repetitions = 0
  let hasRenewed = false
  let mayBeDone = false
  let progressSince: number | undefined
  const isStream = body instanceof ReadableStream

  /** Whether the service is still working on an earlier attempt. Its response is stored under the key. */
  const isInProgress = ({ code }: Failure): boolean => {
    if (code !== 'idempotency_key_in_progress' || !operation.takesKey || maxRetries === 0) return false
    progressSince ??= Date.now()
    return Date.now() - progressSince < LONGEST_PROGRESS_MS
  }
  return {
    /** Whether a failure means that an earlier attempt, whose response was lost, has deleted the record. */
    isDone: ({ status, code }: Failure): boolean =>
      mayBeDone && operation.method === 'DELETE' && status === 404 && code !== 'not_found',
    mayRenew: ({ status }: Failure, token: string | undefined): boolean => {
      if (isStream || status !== 401 || token === undefined || hasRenewed) return false
      hasRenewed = true
      return true
    },
    /** Returns the milliseconds until the next attempt; undefined if there is none. */
    delayAfter: ({ error, failure }: Failed): number | undefined => {
      if (error instanceof PlatenConnectionError && mayBeBlocked(context.reach, error)) {
        error.message += `. ${BLOCKED_HINT}`
        maxRetries = Math.min(maxRetries, BLOCKED_RETRIES)
      }
      if (isStream) return undefined
      if (failure.status === undefined || failure.status === 502 || failure.status === 504) mayBeDone = true
      if (isInProgress(failure)) return delayBefore(0, failure.headers)
      if (repetitions >= maxRetries || !isWorthRetrying(failure, traitsOf(request))) return undefined
      repetitions += 1
      return delayBefore(repetitions - 1, failure.headers)
    },
  }
}

function transportOf({ fetch, hasOwnFetch }: SendContext, { options: { onProgress } }: PreparedRequest): Fetch {
  return onProgress === undefined ? fetch : uploadTransport({ fetch, hasOwnFetch }, onProgress)
}

function attemptOf(context: SendContext, request: PreparedRequest, token: string | undefined): Attempt {
  const { operation, body, options } = request
  const { url, headers, credentials } = withCookies(context, request)
  if (token !== undefined) headers.set('Authorization', `Bearer ${token}`)
  // In a page, this header would need a permission of the service.
  if (!isInBrowser()) headers.set('User-Agent', USER_AGENT)
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

async function dataOf({ operation }: PreparedRequest, response: Response): Promise<unknown> {
  const { result } = operation
  if (result === 'binary' || result === 'events') return response
  const text = await response.text()
  if (result === 'text') return text
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    // A page of a proxy, for example, or of a server at another URL.
    const { status, headers } = response
    const detail = `The response has the content type ${headers.get('content-type')} and is not JSON, so it is not from the service.`
    throw new PlatenError({ operation: operation.name, status, headers, body: undefined, detail })
  }
}

async function problemOf(operation: string, response: Response): Promise<ProblemInput> {
  const { status, headers } = response
  const text = await response.text()
  return { operation, status, headers, body: isProblem(headers) ? parseObject(text) : undefined }
}

const isProblem = (headers: Headers): boolean => /^application\/problem\+json\b/.test(headers.get('content-type') ?? '')

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
