import { createHmac, timingSafeEqual } from 'node:crypto'

/** Signs texts for one purpose (HMAC-SHA256). */
export interface Signer {
  /** Returns 43 characters of base64url. */
  sign(text: string): string
  /** Compares in constant time. Only the exact text of the signature is valid, not another encoding of its bytes. */
  isValid(text: string, signature: string): boolean
}

/** @param keysNow returns the key that signs, followed by others whose signatures are valid, too */
export function createSigner(keysNow: () => readonly [Buffer, ...Buffer[]]): Signer {
  const signWith = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64url')
  return {
    sign: (text) => signWith(keysNow()[0], text),
    isValid: (text, signature) =>
      keysNow().some((key) => {
        const [given, expected] = [Buffer.from(signature), Buffer.from(signWith(key, text))]
        return given.length === expected.length && timingSafeEqual(given, expected)
      }),
  }
}
