import type { SecurityEvent } from '@platen/client'
import type { IconName, MessageKey } from '@platen/ui'

type Described = Pick<SecurityEvent, 'type' | 'result'>

/** What people read about an event. Types that are missing here have a common text. */
const TEXTS = {
  sign_up: 'account.eventSignUp',
  email_verified: 'account.eventEmailVerified',
  sign_in: 'account.eventSignIn',
  sign_in_failed: 'account.eventSignInFailed',
  second_factor_failed: 'account.eventSecondFactorFailed',
  sign_out: 'account.eventSignOut',
  refresh_reuse: 'account.eventRefreshReuse',
  session_revoked: 'account.eventSessionRevoked',
  step_up: 'account.eventStepUp',
  step_up_failed: 'account.eventStepUpFailed',
  block_started: 'account.eventBlockStarted',
  block_ended: 'account.eventBlockEnded',
  password_reset_requested: 'account.eventResetRequested',
  password_reset: 'account.eventPasswordChanged',
  password_changed: 'account.eventPasswordChanged',
  email_change_requested: 'account.eventEmailChangeRequested',
  email_changed: 'account.eventEmailChanged',
  phone_changed: 'account.eventPhoneChanged',
  factor_added: 'account.eventFactorAdded',
  factor_removed: 'account.eventFactorRemoved',
  passkey_added: 'account.eventPasskeyAdded',
  passkey_removed: 'account.eventPasskeyRemoved',
  passkey_counter_decreased: 'account.eventPasskeyCopied',
  recovery_code_used: 'account.eventRecoveryCodeUsed',
  recovery_codes_replaced: 'account.eventRecoveryCodesReplaced',
  identity_linked: 'account.eventIdentityLinked',
  identity_unlinked: 'account.eventIdentityUnlinked',
  api_key_created: 'account.eventKeyCreated',
  api_key_rotated: 'account.eventKeyRotated',
  api_key_revoked: 'account.eventKeyRevoked',
  api_key_leaked: 'account.eventKeyLeaked',
  storage_quota_changed: 'account.eventQuotaChanged',
  customer_changed: 'account.eventDetailsChanged',
  user_access_changed: 'account.eventAccessChanged',
  user_sessions_ended: 'account.eventSessionsEnded',
  invitation_accepted: 'account.eventInvitationAccepted',
  factor_reset_started: 'account.eventResetStarted',
  factor_reset_stopped: 'account.eventResetStopped',
  factors_reset: 'account.eventFactorsReset',
  account_exported: 'account.eventExported',
  guest_claimed: 'account.eventGuestClaimed',
} as const satisfies Readonly<Record<string, MessageKey>>

/** Steps of a sign-in and of a session that is in use, which would hide what is worth knowing. */
const LEFT_OUT = new Set(['refresh', 'second_factor_required', 'factor_verified', 'passkey_used', 'customer_acted_for'])

export const isWorthKnowing = ({ type, result }: Described): boolean => result === 'failure' || !LEFT_OUT.has(type)

const TEXT_OF: Readonly<Record<string, MessageKey>> = TEXTS

export const textOfEvent = ({ type }: Pick<Described, 'type'>): MessageKey => TEXT_OF[type] ?? 'account.eventOther'

/** Events that the owner of the account should look at. */
const WARNINGS = new Set([
  'refresh_reuse',
  'factor_reset_started',
  'block_started',
  'api_key_leaked',
  'passkey_counter_decreased',
])

export function iconOfEvent({ type, result }: Described): IconName {
  return result === 'failure' || WARNINGS.has(type) ? 'warning' : 'check'
}
