import type { SendOutcome } from '../sending/index.ts'

/** One try to deliver, as it is kept and shown: nothing in it is a secret. */
export interface Attempt {
  at: string
  durationMs: number
  /** Where it went. */
  url: string
  /** What was answered; else `error` says why nothing was. */
  status?: number
  error?: string
  detail?: string
  responseHeaders?: Record<string, string>
  responseBody?: string
}

/** Of one delivery; earlier ones are forgotten. Who asks for a delivery again and again does not fill the database. */
export const MAX_ATTEMPTS_KEPT = 25

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

/** Many receivers have a password in the query of their address. */
export function maskUrl(text: string): string {
  const url = new URL(text)
  const parameters = url.search.slice(1).split('&')
  const masked = parameters.map((one) => (one.includes('=') ? `${one.slice(0, one.indexOf('='))}=${MASK}` : MASK))
  url.search = url.search === '' ? '' : masked.join('&')
  url.hash = ''
  return url.href
}
