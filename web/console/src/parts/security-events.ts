import type { ListSecurityEventsQuery } from '@platen/client'
import type { MessageKey } from '@platen/ui'

export type EventType = NonNullable<ListSecurityEventsQuery['type']>

/** What staff read about the events of all accounts. The texts for the owner of an account say "you". */
const TEXTS: Readonly<Record<EventType, MessageKey>> = {
  sign_up: 'consoleAudit.signUp',
  sign_up_repeated: 'consoleAudit.signUpRepeated',
  email_verified: 'consoleAudit.emailVerified',
  sign_in: 'consoleAudit.signIn',
  sign_in_failed: 'consoleAudit.signInFailed',
  second_factor_required: 'consoleAudit.secondFactorRequired',
  second_factor_failed: 'consoleAudit.secondFactorFailed',
  sign_out: 'consoleAudit.signOut',
  refresh: 'consoleAudit.refresh',
  refresh_reuse: 'consoleAudit.refreshReuse',
  session_revoked: 'consoleAudit.sessionRevoked',
  step_up: 'consoleAudit.stepUp',
  step_up_failed: 'consoleAudit.stepUpFailed',
  block_started: 'consoleAudit.blockStarted',
  block_ended: 'consoleAudit.blockEnded',
  password_reset_requested: 'consoleAudit.passwordResetRequested',
  password_reset: 'consoleAudit.passwordReset',
  password_changed: 'consoleAudit.passwordChanged',
  password_imported: 'consoleAudit.passwordImported',
  email_change_requested: 'consoleAudit.emailChangeRequested',
  email_changed: 'consoleAudit.emailChanged',
  phone_changed: 'consoleAudit.phoneChanged',
  factor_added: 'consoleAudit.factorAdded',
  factor_verified: 'consoleAudit.factorVerified',
  factor_removed: 'consoleAudit.factorRemoved',
  passkey_added: 'consoleAudit.passkeyAdded',
  passkey_used: 'consoleAudit.passkeyUsed',
  passkey_removed: 'consoleAudit.passkeyRemoved',
  passkey_counter_decreased: 'consoleAudit.passkeyCounterDecreased',
  recovery_code_used: 'consoleAudit.recoveryCodeUsed',
  recovery_codes_replaced: 'consoleAudit.recoveryCodesReplaced',
  identity_linked: 'consoleAudit.identityLinked',
  identity_unlinked: 'consoleAudit.identityUnlinked',
  api_key_created: 'consoleAudit.apiKeyCreated',
  api_key_rotated: 'consoleAudit.apiKeyRotated',
  api_key_revoked: 'consoleAudit.apiKeyRevoked',
  api_key_leaked: 'consoleAudit.apiKeyLeaked',
  api_key_used_after_end: 'consoleAudit.apiKeyUsedAfterEnd',
  signing_keys_rotated: 'consoleAudit.signingKeysRotated',
  service_secret_rotated: 'consoleAudit.serviceSecretRotated',
  user_access_changed: 'consoleAudit.userAccessChanged',
  user_sessions_ended: 'consoleAudit.userSessionsEnded',
  storage_quota_changed: 'consoleAudit.storageQuotaChanged',
  invitation_created: 'consoleAudit.invitationCreated',
  invitation_revoked: 'consoleAudit.invitationRevoked',
  invitation_accepted: 'consoleAudit.invitationAccepted',
  factor_reset_started: 'consoleAudit.factorResetStarted',
  factor_reset_stopped: 'consoleAudit.factorResetStopped',
  factors_reset: 'consoleAudit.factorsReset',
  shop_settings_changed: 'consoleAudit.shopSettingsChanged',
  job_retried: 'consoleAudit.jobRetried',
  price_agreed: 'consoleAudit.priceAgreed',
  account_emptied: 'consoleAudit.accountEmptied',
  account_exported: 'consoleAudit.accountExported',
  account_deleted: 'consoleAudit.accountDeleted',
  customer_created: 'consoleAudit.customerCreated',
  customer_changed: 'consoleAudit.customerChanged',
  customer_deleted: 'consoleAudit.customerDeleted',
  customer_merged: 'consoleAudit.customerMerged',
  customer_token_issued: 'consoleAudit.customerTokenIssued',
  customer_acted_for: 'consoleAudit.customerActedFor',
  guest_created: 'consoleAudit.guestCreated',
  guest_claimed: 'consoleAudit.guestClaimed',
}

export const EVENT_TYPES = Object.keys(TEXTS) as readonly EventType[]

/** Later versions of the service may record types that this version does not know. */
const TEXT_OF: Readonly<Record<string, MessageKey>> = TEXTS

export const textOfEvent = (type: string): MessageKey => TEXT_OF[type] ?? 'consoleAudit.other'
