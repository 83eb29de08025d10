import type { Trx } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import type { Client } from '../caller.ts'
import type { Audit } from './audit.ts'
import type { SecurityEvent } from './events.ts'

export interface Administrator {
  userId: string
  kind: Principal['kind']
  /** Id of the session or the key. */
  credentialId: string
  client: Client
}

/**
 * Records a change that an administrator made to the settings of the shop, in the transaction of that change.
 *
 * @param details what was changed; never a secret
 */
export async function recordAdminAct(
  audit: Audit,
  trx: Trx,
  { userId, kind, credentialId, client }: Administrator,
  details: NonNullable<SecurityEvent['details']>,
): Promise<void> {
  const sessionId = kind === 'session' ? credentialId : null
  const method = kind === 'api_key' ? kind : null
  await audit.record(trx, { type: 'shop_settings_changed', userId, sessionId, method, client, details })
}
