import type { SendOutcome } from '../transport/index.ts'

/** One try to deliver, as it is kept and shown: nothing in it is a secret. */
export interface Attempt {
  at: string
  durationMs: number
  /** Where it went. Only the latest attempt of a delivery has it. */
  url?: string
  /** What was answered; else `error` says why nothing was. */
  status?: number
  error?: string
  detail?: string
  responseHeaders?: Record<string, string>
  responseBody?: string
}

/** Of one delivery. Earlier attempts are deleted, so that repeated retries do not fill the database. */
const MAX_ATTEMPTS = 25

/** Only the last attempts of a delivery keep what the receiver answered: up to 3 KiB each. */
const MAX_ANSWERS = 3

/** Adds an attempt to those of a delivery, as far as they are retained. */
export function addAttempt(earlier: readonly Attempt[], attempt: Attempt): Attempt[] {
  const kept = earlier.slice(-(MAX_ATTEMPTS - 1)).map(({ url: _, ...one }) => one)
  const answered = kept.length - (MAX_ANSWERS - 1)
  return [...kept.map((one, index) => (index < answered ? withoutAnswer(one) : one)), attempt]
}

/** An attempt without what the receiver wrote. */
export function withoutAnswer({ responseHeaders: _, responseBody: __, detail: ___, ...attempt }: Attempt): Attempt {
  return attempt
}

/** Of the headers of one answer. */
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

/** @param signature what was sent; a receiver that answers with what it was sent does not get it into the log */
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

/** As many of them as there is room for; the one that retries go by is never missing. */
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

/** Many receivers have a password in the query of their URL. */
export function maskUrl(text: string): string {
  const url = new URL(text)
  const parameters = url.search.slice(1).split('&')
  const masked = parameters.map((one) => (one.includes('=') ? `${one.slice(0, one.indexOf('='))}=${MASK}` : MASK))
  url.search = url.search === '' ? '' : masked.join('&')
  url.hash = ''
  return url.href
}
