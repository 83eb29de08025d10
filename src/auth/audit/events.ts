import type { Client } from '../caller.ts'

/** All types of security events. The names are part of the API, so they must not change. */
export const SECURITY_EVENT_TYPES = [
  'sign_up',
  'sign_up_repeated',
  'email_verified',
  'sign_in',
  'sign_in_failed',
  'second_factor_required',
  'second_factor_failed',
  'sign_out',
  'refresh',
  'refresh_reuse',
  'session_revoked',
  'step_up',
  'step_up_failed',
  'block_started',
  'block_ended',
  'password_reset_requested',
  'password_reset',
  'password_changed',
  'password_imported',
  'email_change_requested',
  'email_changed',
  'phone_changed',
  'factor_added',
  'factor_verified',
  'factor_removed',
  'passkey_added',
  'passkey_used',
  'passkey_removed',
  'passkey_counter_decreased',
  'recovery_code_used',
  'recovery_codes_replaced',
  'identity_linked',
  'identity_unlinked',
  'api_key_created',
  'api_key_rotated',
  'api_key_revoked',
  'api_key_leaked',
  'api_key_used_after_end',
  'signing_keys_rotated',
  'service_secret_rotated',
  'user_access_changed',
  'user_sessions_ended',
  'storage_quota_changed',
  'invitation_created',
  'invitation_revoked',
  'invitation_accepted',
  'factor_reset_started',
  'factor_reset_stopped',
  'factors_reset',
  'shop_settings_changed',
  'job_retried',
  'price_agreed',
  'account_emptied',
  'account_exported',
  'account_deleted',
  'customer_created',
  'customer_changed',
  'customer_deleted',
  'customer_merged',
  'customer_token_issued',
  'customer_acted_for',
  'guest_created',
  'guest_claimed',
] as const
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number]

export interface SecurityEvent {
  type: SecurityEventType
  /** Default: `success`. */
  result?: 'success' | 'failure'
  /**
   * Id of the account that the event concerns. Null if it is unknown, for example after a failed sign-in with an
   * unknown email address.
   */
  userId: string | null
  /**
   * Who caused the event: the id of a user, `system` for the service itself, `operator` for the command line, or null
   * for a client that was not authenticated. Default: `userId`.
   */
  actor?: string | null
  sessionId?: string | null
  /** The client that sent the request. Null if no request caused the event. */
  client: Client | null
  /** The method of authentication: a second factor, a provider, or a kind of credential. */
  method?: string | null
  /** Further facts. They are never erased, so they must not contain secrets or data that identifies a person. */
  details?: Readonly<Record<string, string | number | boolean | null>>
}
