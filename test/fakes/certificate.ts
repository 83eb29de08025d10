import { generateKeyPairSync, sign, X509Certificate } from 'node:crypto'

/** A self-signed certificate in PEM, with its key. */
export interface Certificate {
  key: string
  cert: string
}

/**
 * Makes a certificate for the given hosts (RFC 5280, signed with ECDSA and SHA-256). Node.js can read certificates, but
 * not make them.
 *
 * @param hosts DNS names
 */
export function makeCertificate(
  hosts: readonly string[],
  { notAfter = new Date(Date.now() + 86_400_000) }: { notAfter?: Date } = {},
): Certificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const ecdsaWithSha256 = sequence(oid('06082a8648ce3d040302'))
  const name = sequence(der(0x31, sequence(oid('0603550403'), der(0x0c, Buffer.from(hosts[0] ?? '')))))
  const names = sequence(...hosts.map((host) => der(0x82, Buffer.from(host))))
  const extensions = sequence(
    sequence(oid('0603551d11'), der(0x04, names)),
    // Marks the certificate as a certificate authority, because it is self-signed.
    sequence(oid('0603551d13'), der(0x01, Buffer.of(0xff)), der(0x04, sequence(der(0x01, Buffer.of(0xff))))),
  )
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    ecdsaWithSha256,
    name,
    sequence(utcTime(new Date(Date.now() - 172_800_000)), utcTime(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign('sha256', content, privateKey)]))
  const certificate = new X509Certificate(sequence(content, ecdsaWithSha256, signature))
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: certificate.toString() }
}

/** Encodes tag, length and content in DER (X.690, 8.1). */
function der(tag: number, content: Uint8Array): Buffer {
  const { length } = content
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...size), content])
}

function sequence(...parts: Uint8Array[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

/**
 * Returns the bytes of an object identifier.
 * @param encoded the identifier with its tag and length, in hexadecimal
 */
function oid(encoded: string): Buffer {
  return Buffer.from(encoded, 'hex')
}

function utcTime(moment: Date): Buffer {
  const digits = moment.toISOString().replace(/\D/g, '').slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
