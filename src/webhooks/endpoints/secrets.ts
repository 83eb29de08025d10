import { createHmac, randomBytes } from 'node:crypto'
import type { EncryptedColumn, SealedBox } from '../../auth/index.ts'

/** Length of a secret. Standard Webhooks requires 24 to 64 bytes. */
const SECRET_BYTES = 32

/** Purpose for which the encryption key of the secrets is derived, so that no other feature derives the same key. */
export const SECRETS_PURPOSE = 'platen webhook secrets 1'

export const ENCRYPTED_COLUMNS_OF_WEBHOOKS: readonly EncryptedColumn[] = [
  { table: 'webhook_endpoints', id: 'id', column: 'secret_sealed', purpose: SECRETS_PURPOSE },
  // After the other column: a rotation of a secret moves it here.
  { table: 'webhook_endpoints', id: 'id', column: 'previous_secret_sealed', purpose: SECRETS_PURPOSE },
]

/** The secrets of an endpoint, encrypted with a key of the service. */
export interface SealedSecrets {
  secretSealed: Buffer
  previousSecretSealed: Buffer | null
  previousSecretUntil: Date | null
}

/**
 * Makes a new secret. It returns the secret as text for the owner (`whsec_` and base64, as in Standard Webhooks) and
 * encrypted for the database.
 */
export function newSecret(box: SealedBox, endpointId: string): { secret: string; sealed: Buffer } {
  const bytes = randomBytes(SECRET_BYTES)
  return { secret: `whsec_${bytes.toString('base64')}`, sealed: box.seal(bytes, endpointId) }
}

/** Decrypts the secrets of an endpoint that are valid at a timestamp, newest first. */
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
 * Returns the value of the `webhook-signature` header (Standard Webhooks 1.0). For each key it contains `v1,` and the
 * HMAC-SHA256 in base64, separated by spaces.
 *
 * @param message the timestamp is Unix time in seconds, as in `webhook-timestamp`
 */
export function signatureOf(
  keys: readonly Buffer[],
  { id, timestamp, body }: { id: string; timestamp: number; body: string },
): string {
  const content = `${id}.${timestamp}.${body}`
  return keys.map((key) => `v1,${createHmac('sha256', key).update(content).digest('base64')}`).join(' ')
}
