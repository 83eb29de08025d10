import { PlatenError } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'
import { factorProblem } from '../factors/problem.ts'

/** What customers read about the problems of the pages of their account. */
const TEXTS: Readonly<Record<string, MessageKey>> = {
  api_key_expired: 'account.problemExpiry',
  country_not_allowed: 'account.problemCountry',
  credential_exists: 'shop.problemPasskeyExists',
  current_password_wrong: 'account.problemPasswordWrong',
  email_unchanged: 'account.problemEmailUnchanged',
  identity_taken: 'account.problemIdentityTaken',
  invalid_token: 'account.problemLink',
  last_administrator: 'account.problemLastAdministrator',
  last_way_in: 'account.problemLastWayIn',
  passkey_limit_reached: 'account.problemTooManyPasskeys',
  phone_number_invalid: 'account.problemPhoneNumber',
  sms_limited: 'account.problemSmsLimited',
  too_many_api_keys: 'account.problemTooManyKeys',
  webauthn_failed: 'shop.problemPasskeyNotUsed',
}

/** Says what failed on a page of the account. */
export function accountProblem(texts: Pick<Texts, 'text'>, error: unknown): string {
  const key = error instanceof PlatenError ? TEXTS[error.code] : undefined
  return key === undefined ? factorProblem(texts, error) : texts.text(key)
}
