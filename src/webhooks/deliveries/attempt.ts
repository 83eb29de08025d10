import type { SendOutcome } from '../transport/index.ts'

/** One attempt of a delivery, as it is stored and as the log of deliveries shows it. It contains no secrets. */
export interface Attempt {
  at: string
  durationMs: number
  /** URL of the request. It is stored only for the latest attempt. */
  url?: string
  /** HTTP status of the response. If there was no response, `error` states the reason. */
  status?: number
  error?: string
  detail?: string
  responseHeaders?: Record<string, string>
  responseBody?: string
}

/**
 * Maximum number of attempts that a delivery retains. Older ones are deleted, so that repeated retries do not fill the
 * database.
 */
const MAX_ATTEMPTS = 25

/** Number of attempts of a delivery that retain the response, which has up to 3 KiB. */
const MAX_RESPONSES = 3

/** Appends an attempt. Removes old attempts, and the responses of all but the latest attempts. */
export function addAttempt(earlier: readonly Attempt[], attempt: Attempt): Attempt[] {
  const kept = earlier.slice(-(MAX_ATTEMPTS - 1)).map(({ url: _, ...one }) => one)
  const answered = kept.length - (MAX_RESPONSES - 1)
  return [...kept.map((one, index) => (index < answered ? withoutResponse(one) : one)), attempt]
}

export function withoutResponse({ responseHeaders: _, responseBody: __, detail: ___, ...attempt }: Attempt): Attempt {
  return attempt
}

/** Maximum size of the headers that are stored of one response. */
const MAX_HEADER_BYTES = 2_048

const MASK = '***'

/** Each would take six bytes in the stored JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced
const CONTROL_CHARACTERS = /[\u0000-\u0008\u000b-\u001f]/g

const SECRET_HEADERS: ReadonlySet<string> = new Set([
  'set-cookie',
  'set-cookie2',
  'cookie',
  'authorization',
  'proxy-authorization',
  'authentication-info',
  'proxy-authentication-info',
])

/**
 * Makes the attempt that is stored for an outcome.
 *
 * @param sent the request; its signature is masked in the stored response, because some receivers return the request
 */
export function toAttempt(outcome: SendOutcome, sent: { at: Date; url: string; signature: string }): Attempt {
  const common = { at: sent.at.toISOString(), durationMs: outcome.durationMs, url: maskUrl(sent.url) }
  if (outcome.kind === 'failed') return { ...common, error: outcome.error, detail: outcome.detail }
  const clean = (text: string): string => {
    let cleaned = text.replaceAll(CONTROL_CHARACTERS, '\ufffd')
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

/**
 * Returns the headers of a response up to the maximum size. `retry-after` comes first, because the next retry depends
 * on it.
 */
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

/** Masks the values in the query of a URL, because many receivers expect a password there. */
export function maskUrl(text: string): string {
  const url = new URL(text)
  const parameters = url.search.slice(1).split('&')
  const masked = parameters.map((one) => (one.includes('=') ? `${one.slice(0, one.indexOf('='))}=${MASK}` : MASK))
  url.search = url.search === '' ? '' : masked.join('&')
  url.hash = ''
  return url.href
}
