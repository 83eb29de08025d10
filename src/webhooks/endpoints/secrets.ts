import { createHmac, randomBytes } from 'node:crypto'
import type { SealedBox } from '../../auth/index.ts'

/** Standard Webhooks asks for 24 to 64. */
const SECRET_BYTES = 32

/** What keys are derived for. */
export const SECRETS_PURPOSE = 'platen webhook secrets 1'

/** A secret as it is stored; nothing but the installation's own key opens it. */
export interface SealedSecrets {
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretUntil: Date | null
}

/** A new secret: for its owner as a text of the Standard Webhooks form (`whsec_` and base64), for the database sealed. */
export function newSecret(box: SealedBox, endpointId: string): { secret: string; sealed: Buffer } {
  const bytes = randomBytes(SECRET_BYTES)
  return { secret: `whsec_${bytes.toString('base64')}`, sealed: box.seal(bytes, endpointId) }
}

/** The keys that sign for an endpoint at a moment: the newest first. */
export function openSecrets(
  box: SealedBox,
  endpointId: string,
  { secretSealed, previousSecretSealed, previousSecretUntil }: SealedSecrets,
  at: Date,
): Buffer[] {
  const sealed = [secretSealed]
  if (previousSecretSealed !== null && previousSecretUntil !== null && previousSecretUntil > at) {
    sealed.push(previousSecretSealed)
  }
  return sealed.map((one) => box.unseal(one, endpointId))
}

/**
 * `webhook-signature` of Standard Webhooks 1.0: `v1,` and HMAC-SHA256 in base64 for each key, parted by blanks.
 *
 * @param timestamp seconds since 1970, as in `webhook-timestamp`
 */
export function signatureOf(
  keys: readonly Buffer[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  const content = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`).join(' ')
}
