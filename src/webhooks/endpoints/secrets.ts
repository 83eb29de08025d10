import { createHmac, randomBytes } from 'node:crypto'
import type { SealedBox } from '../../auth/index.ts'

/** Standard Webhooks requires 24 to 64. */
const SECRET_BYTES = 32

/** Part of the key derivation, so that no other feature derives the same key. */
export const SECRETS_PURPOSE = 'platen webhook secrets 1'

/** Encrypted with the installation's key. */
export interface SealedSecrets {
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretUntil: Date | null
}

/**
 * A new secret: as text for its owner (`whsec_` and base64, as in Standard Webhooks), and encrypted for the database.
 */
export function newSecret(box: SealedBox, endpointId: string): { secret: string; sealed: Buffer } {
  const bytes = randomBytes(SECRET_BYTES)
  return { secret: `whsec_${bytes.toString('base64')}`, sealed: box.seal(bytes, endpointId) }
}

/** The signing keys that are valid at a moment, newest first. */
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
 * The `webhook-signature` header of Standard Webhooks 1.0: for each key `v1,` and the base64 HMAC-SHA256, separated by
 * spaces.
 *
 * @param timestamp Unix time in seconds, as in `webhook-timestamp`
 */
export function signatureOf(
  keys: readonly Buffer[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  const content = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`).join(' ')
}
