import { type KeyObject, sign } from 'node:crypto'
import { SIGNATURE_ALGORITHM } from './key-material.ts'

/**
 * Signs a JWS in compact form (RFC 7515). It stays in the thread: Ed25519 takes some ten microseconds, and the thread
 * pool, in which WebCrypto signs, costs more and may be busy with passwords.
 */
export function signCompact(key: { kid: string; privateKey: KeyObject }, typ: string, payload: object): string {
  const header = { alg: SIGNATURE_ALGORITHM, typ, kid: key.kid }
  const input = `${encode(header)}.${encode(payload)}`
  return `${input}.${sign(null, Buffer.from(input), key.privateKey).toString('base64url')}`
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}
