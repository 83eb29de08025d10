import { compactVerify, createLocalJWKSet, type JSONWebKeySet } from 'jose'
import { SIGNATURE_ALGORITHM } from './key-material.ts'
import { signCompact } from './sign-compact.ts'
import type { SigningKeys } from './signing-keys.ts'

/**
 * Signs a statement of the service (a JWS in compact form, RFC 7515), such as the receipt of a finalized design. The
 * public key stays in the JWKS for ever, so that a statement of any age can be verified.
 *
 * The function uses the keys in memory, because it is called within transactions: waiting there for a second connection
 * could deadlock the pool. Call `refresh` before the transaction.
 *
 * @param typ media type of the statement without `application/`. It keeps a statement of one kind from being accepted
 * as another kind.
 */
export async function signStatement(keys: SigningKeys, payload: object, { typ }: { typ: string }): Promise<string> {
  return signCompact(keys.current('statement'), typ, payload)
}

/**
 * Verifies a statement with nothing but public keys; no request to the service is needed.
 *
 * @returns the payload
 * @throws if the signature is invalid, the key is unknown, or the statement is of another kind
 */
export async function verifyStatement(jws: string, jwks: JSONWebKeySet, { typ }: { typ: string }): Promise<unknown> {
  const { payload, protectedHeader } = await compactVerify(jws, createLocalJWKSet(jwks), {
    algorithms: [SIGNATURE_ALGORITHM],
  })
  if (protectedHeader.typ !== typ) throw new Error(`expected a statement of type ${typ}`)
  return JSON.parse(Buffer.from(payload).toString('utf8'))
}
