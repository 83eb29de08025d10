import type { Trx } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import type { Client } from '../caller.ts'
import type { Audit } from './audit.ts'
import type { SecurityEvent } from './events.ts'

/** Types of events that report what an administrator did to the shop. */
export type AdminAct = Extract<
  SecurityEvent['type'],
  'shop_settings_changed' | 'job_retried' | 'price_agreed' | 'signing_keys_rotated'
>

export interface Administrator {
  userId: string
  kind: Principal['kind']
  /** Id of the session or the key. */
  credentialId: string
  client: Client
}

/**
 * Records what an administrator did to the shop, such as a change of its settings, in the transaction of that act.
 *
 * @param details what was changed; never a secret
 */
export async function recordAdminAct(
  audit: Audit,
  trx: Trx,
  { userId, kind, credentialId, client }: Administrator,
  details: NonNullable<SecurityEvent['details']>,
  type: AdminAct = 'shop_settings_changed',
): Promise<void> {
  const sessionId = kind === 'session' ? credentialId : null
  const method = kind === 'api_key' ? kind : null
  await audit.record(trx, { type, userId, sessionId, method, client, details })
}
