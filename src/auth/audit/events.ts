import type { Client } from '../caller.ts'

/** Everything that is recorded about accounts. The names are part of the API. */
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
  'user_access_changed',
  'shop_settings_changed',
  'account_emptied',
  'account_exported',
  'account_deleted',
] as const
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number]

export interface SecurityEvent {
  type: SecurityEventType
  /** Default: `success`. */
  result?: 'success' | 'failure'
  /** Whose account; null if none is known, as after a failed sign-in with an unknown email address. */
  userId: string | null
  /** Who did it: a user's id, `system`, or `operator` for the command line. Default: the user themselves. */
  actor?: string | null
  sessionId?: string | null
  /** Null where no request led to it. */
  client: Client | null
  /** How: the factor, the provider, the kind of credential. */
  method?: string | null
  /** Further facts; never a secret, and nothing that identifies a person: that part could not be removed. */
  details?: Readonly<Record<string, string | number | boolean | null>>
}
