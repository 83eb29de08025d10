import type { SendOutcome } from '../transport/index.ts'

/** One attempt of a delivery as it is stored and shown. It contains no secrets. */
export interface Attempt {
  at: string
  durationMs: number
  /** Where the request went. Stored for the latest attempt only. */
  url?: string
  /** The HTTP status of the response. Without a response, `error` states the reason. */
  status?: number
  error?: string
  detail?: string
  responseHeaders?: Record<string, string>
  responseBody?: string
}

/** Per delivery. Older attempts are deleted, so that repeated retries do not fill the database. */
const MAX_ATTEMPTS = 25

/** Attempts per delivery that keep the response, which takes up to 3 KiB. */
const MAX_RESPONSES = 3

/** Appends an attempt and drops what is not retained of the earlier ones. */
export function addAttempt(earlier: readonly Attempt[], attempt: Attempt): Attempt[] {
  const kept = earlier.slice(-(MAX_ATTEMPTS - 1)).map(({ url: _, ...one }) => one)
  const answered = kept.length - (MAX_RESPONSES - 1)
  return [...kept.map((one, index) => (index < answered ? withoutResponse(one) : one)), attempt]
}

export function withoutResponse({ responseHeaders: _, responseBody: __, detail: ___, ...attempt }: Attempt): Attempt {
  return attempt
}

/** Stored headers of one response. */
const MAX_HEADER_BYTES = 2_048

const MASK = '***'

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'cookie',
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
])

/** @param sent `signature` is masked in the response, because some receivers echo the request */
export function toAttempt(outcome: SendOutcome, sent: { at: Date; url: string; signature: string }): Attempt {
  const common = { at: sent.at.toISOString(), durationMs: outcome.durationMs, url: maskUrl(sent.url) }
  if (outcome.kind === 'failed') return { ...common, error: outcome.error, detail: outcome.detail }
  const clean = (text: string): string => {
    let cleaned = text
    for (const one of sent.signature.split(' ')) cleaned = cleaned.replaceAll(one, MASK)
    return cleaned
  }
  return {
    ...common,
    status: outcome.status,
    responseHeaders: keptHeaders(outcome.headers, clean),
    responseBody: clean(outcome.body),
  }
}

/** Keeps headers until the size limit. `retry-after` comes first, because the retry schedule needs it. */
function keptHeaders(headers: Readonly<Record<string, string>>, clean: (text: string) => string) {
  const { 'retry-after': retryAfter, ...others } = headers
  const entries = Object.entries(others).filter(([name]) => !SECRET_HEADERS.has(name.toLowerCase()))
  if (retryAfter !== undefined) entries.unshift(['retry-after', retryAfter])
  let bytes = 0
  return Object.fromEntries(
    entries.flatMap(([name, value]): [string, string][] => {
      const cleaned = clean(value)
      bytes += Buffer.byteLength(name) + Buffer.byteLength(cleaned)
      return bytes > MAX_HEADER_BYTES ? [] : [[name, cleaned]]
    }),
  )
}

/** Masks the query of a URL: many receivers expect a password there. */
export function maskUrl(text: string): string {
  const url = new URL(text)
  const parameters = url.search.slice(1).split('&')
  const masked = parameters.map((one) => (one.includes('=') ? `${one.slice(0, one.indexOf('='))}=${MASK}` : MASK))
  url.search = url.search === '' ? '' : masked.join('&')
  url.hash = ''
  return url.href
}
