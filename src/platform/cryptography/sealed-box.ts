import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Derives a 256-bit key for one purpose (HKDF-SHA256, RFC 5869). Different purposes give unrelated keys. */
export function deriveKey(secret: Buffer, purpose: string): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, Buffer.alloc(0), purpose, 32))
}

/**
 * Encrypts with AES-256-GCM.
 *
 * @param context what the content belongs to; decryption with another context fails
 * @returns nonce, tag and ciphertext, in this order
 */
export function seal(key: Buffer, content: Buffer, context: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context))
  const ciphertext = Buffer.concat([cipher.update(content), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext])
}

/**
 * Decrypts what `seal` has encrypted.
 *
 * @throws if the key or the context differs, or if a byte was changed
 */
export function unseal(key: Buffer, sealed: Buffer, context: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES)
  const tag = sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()])
}

/**
 * Decrypts what `seal` has encrypted with one of several keys. A wrong key never decrypts, because AES-GCM authenticates.
 *
 * @throws if all keys or the context differ, or if a byte was changed
 */
export function unsealWithAny(keys: readonly [Buffer, ...Buffer[]], sealed: Buffer, context: string): Buffer {
  const [first, ...others] = keys
  try {
    return unseal(first, sealed, context)
  } catch (error) {
    const [second, ...rest] = others
    if (second === undefined) throw error
    return unsealWithAny([second, ...rest], sealed, context)
  }
}

/** Encryption for one purpose. `context` names what the content belongs to; decryption with another context fails. */
export interface SealedBox {
  seal(content: Buffer, context: string): Buffer
  /**
   * Decrypts what `seal` has encrypted.
   *
   * @throws if the key or the context differs, or if a byte was changed
   */
  unseal(sealed: Buffer, context: string): Buffer
}

/** @param keysNow returns the key that encrypts, followed by others that decrypt, too */
export function createSealedBox(keysNow: () => readonly [Buffer, ...Buffer[]]): SealedBox {
  return {
    seal: (content, context) => seal(keysNow()[0], content, context),
    unseal: (sealed, context) => unsealWithAny(keysNow(), sealed, context),
  }
}
