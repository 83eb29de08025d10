interface PublicKey extends JsonWebKey {
  kid: string
}

export interface ReceiptVerdict {
  isGenuine: boolean
  finalizedAt: string
}

/**
 * Verifies the signature of a receipt, which is a compact JWS (RFC 7515), with the public keys of the service.
 *
 * @throws if the keys cannot be read, or the browser does not know the algorithm
 */
export async function verifyReceipt(receipt: string): Promise<ReceiptVerdict> {
  const [head = '', body = '', signature = ''] = receipt.split('.')
  const { kid, alg } = parse<{ kid: string; alg: string }>(head)
  const { finalization } = parse<{ finalization: { finalizedAt: string } }>(body)
  const response = await fetch('/.well-known/jwks.json')
  const { keys } = (await response.json()) as { keys: PublicKey[] }
  const found = keys.find((key) => key.kid === kid)
  if (found === undefined) return { isGenuine: false, finalizedAt: finalization.finalizedAt }
  const algorithm = alg === 'ES256' ? { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } : { name: 'Ed25519' }
  const key = await crypto.subtle.importKey('jwk', found, algorithm, false, ['verify'])
  const signed = new TextEncoder().encode(`${head}.${body}`)
  const isGenuine = await crypto.subtle.verify(algorithm, key, bytesOf(signature), signed)
  return { isGenuine, finalizedAt: finalization.finalizedAt }
}

const parse = <Value>(part: string): Value => JSON.parse(new TextDecoder().decode(bytesOf(part))) as Value

/** Decodes base64url. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
}
