import { PlatenConnectionError, PlatenError } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'

/** What customers read instead of the problem of the service. Codes that are missing here have a common text. */
const TEXTS: Readonly<Record<string, MessageKey>> = {
  rate_limited: 'shop.problemRateLimited',
  login_blocked: 'shop.problemLoginBlocked',
  invalid_credentials: 'shop.problemInvalidCredentials',
  email_not_verified: 'shop.problemEmailNotVerified',
  invalid_code: 'shop.problemInvalidCode',
  invalid_mfa_token: 'shop.problemSignInExpired',
  password_rejected: 'shop.problemPasswordRejected',
  guest_limit_reached: 'shop.problemGuestLimit',
  storage_quota_exceeded: 'shop.problemStorage',
  product_archived: 'shop.problemProductGone',
  product_not_found: 'shop.problemProductGone',
  variant_unavailable: 'shop.problemVariantGone',
  design_not_found: 'shop.problemDesignNotFound',
  design_archived: 'shop.problemDesignArchived',
  invalid_refresh_token: 'shop.problemSessionEnded',
  authentication_required: 'shop.problemSessionEnded',
  invalid_access_token: 'shop.problemSessionEnded',
}

/** Says what failed, and what the customer can do. */
export function problemText({ text }: Pick<Texts, 'text'>, error: unknown): string {
  if (error instanceof PlatenConnectionError) return text('shop.problemConnection')
  if (!(error instanceof PlatenError)) return text('shop.problemUnknown')
  const key = TEXTS[error.code]
  if (key === 'shop.problemLoginBlocked') return text(key, { minutes: minutesToWait(error) })
  if (key !== undefined) return text(key)
  if (error.status === 503 || error.status === 502 || error.status === 504) return text('shop.problemBusy')
  if (error.status === 429) return text('shop.problemRateLimited')
  if (error.requestId === undefined) return text('shop.problemUnknown')
  return text('shop.problemWithId', { id: error.requestId })
}

function minutesToWait({ headers }: PlatenError): number {
  return Math.max(1, Math.ceil(Number(headers.get('retry-after') ?? 60) / 60))
}

/** Tells whether what a page is about does not exist, or not for this customer. */
export function isMissing(error: unknown): boolean {
  return error instanceof PlatenError && error.status === 404
}
