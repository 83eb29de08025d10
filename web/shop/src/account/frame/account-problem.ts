import { factorProblem } from '@platen/app/sign-in'
import { PlatenError } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'

/** What customers read about the problems of the pages of their account. */
const TEXTS: Readonly<Record<string, MessageKey>> = {
  api_key_expired: 'account.problemExpiry',
  country_not_allowed: 'account.problemCountry',
  credential_exists: 'session.problemPasskeyExists',
  current_password_wrong: 'session.problemPasswordWrong',
  email_taken: 'account.problemEmailTaken',
  email_unchanged: 'account.problemEmailUnchanged',
  invitation_for_another_account: 'account.problemInvitationOfAnother',
  identity_taken: 'account.problemIdentityTaken',
  invalid_token: 'account.problemLink',
  last_administrator: 'account.problemLastAdministrator',
  last_way_in: 'account.problemLastWayIn',
  passkey_limit_reached: 'account.problemTooManyPasskeys',
  phone_number_not_mobile: 'account.problemPhoneNumber',
  provider_already_linked: 'account.providerLinkedBefore',
  sms_limited: 'account.problemSmsLimited',
  sms_not_configured: 'account.problemSmsUnavailable',
  sms_unavailable: 'account.problemSmsUnavailable',
  too_many_api_keys: 'account.problemTooManyKeys',
  webauthn_failed: 'session.problemPasskeyNotUsed',
}

const MAIL_LINKS = [
  'auth.verifyEmail',
  'auth.confirmEmail',
  'auth.resetPassword',
  'auth.readInvitation',
  'auth.stopOwnFactorReset',
]

/** Says what failed on a page of the account. */
export function accountProblem(texts: Pick<Texts, 'text'>, error: unknown): string {
  const key = error instanceof PlatenError ? keyOf(error) : undefined
  return key === undefined ? factorProblem(texts, error) : texts.text(key)
}

function keyOf({ code, status, operation }: PlatenError): MessageKey | undefined {
  // A malformed number or token does not match the schema of its request.
  if (status === 400 && operation === 'auth.enableFactor') return 'account.problemPhoneNumber'
  if (status === 400 && MAIL_LINKS.includes(operation)) return 'account.problemLink'
  return TEXTS[code]
}
