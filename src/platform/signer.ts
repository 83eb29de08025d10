import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs texts for one purpose (HMAC-SHA256). */
export interface Signer {
  /** Returns 43 characters of base64url. */
  sign(text: string): string
  /** Compares in constant time. Only the exact text of the signature is valid, not another encoding of its bytes. */
  isValid(text: string, signature: string): boolean
}

export function createSigner(key: Buffer): Signer {
  const sign = (text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return {
    sign,
    isValid: (text, signature) => {
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(text))]
      return given.length === expected.length && timingSafeEqual(given, expected)
    },
  }
}
