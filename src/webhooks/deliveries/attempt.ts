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
    responseHeaders: Object.fromEntries(
      Object.entries(outcome.headers).flatMap(([name, value]) =>
        SECRET_HEADERS.has(name.toLowerCase()) ? [] : [[name, clean(value)]],
      ),
    ),
    responseBody: clean(outcome.body),
  }
}

/** Many receivers have a password in the query of their address. */
function maskUrl(text: string): string {
  const url = new URL(text)
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, MASK)
  return url.href
}
