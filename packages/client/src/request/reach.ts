import type { PlatenConnectionError } from '../errors.ts'

/** Whether the service has responded to the client, which shows that the page may read its responses. */
export interface Reach {
  hasResponded: boolean
}

/** Whether the program runs in a page or its worker. */
export function isInBrowser(): boolean {
  return originOfPage() !== undefined
}

function originOfPage(): string | undefined {
  return (globalThis as { location?: { origin?: string } }).location?.origin
}

/**
 * Tells whether a browser may have refused the page the response. Browsers do not tell a page the difference between
 * this and a failed connection.
 */
export function mayBeBlocked({ hasResponded }: Reach, { code, url }: PlatenConnectionError): boolean {
  const origin = originOfPage()
  if (hasResponded || code !== 'connection_failed' || origin === undefined) return false
  return /^https?:/.test(url) && !url.startsWith(`${origin}/`)
}

export const BLOCKED_HINT =
  'If the service is running, the origin of this page may be missing in its PLATEN_CORS_ORIGINS.'
