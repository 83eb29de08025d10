import type { FastifyRequest } from 'fastify'
import type { Trx } from '../../platform/db/index.ts'
import { principalOf } from '../../platform/http/principal.ts'
import { clientOf } from '../sessions/client.ts'
import type { Audit } from './audit.ts'
import type { SecurityEvent } from './events.ts'

/**
 * Records what an administrator changed about the shop, in the transaction that changes it.
 *
 * @param details what was changed; never a secret
 */
export async function recordAdminAct(
  audit: Audit,
  trx: Trx,
  request: FastifyRequest,
  details: NonNullable<SecurityEvent['details']>,
): Promise<void> {
  const { userId, kind, credentialId } = principalOf(request)
  const sessionId = kind === 'session' ? credentialId : null
  const method = kind === 'api_key' ? kind : null
  await audit.record(trx, {
    type: 'shop_settings_changed',
    userId,
    sessionId,
    method,
    client: clientOf(request),
    details,
  })
}
