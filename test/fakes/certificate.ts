import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  X509Certificate,
} from 'node:crypto'

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
  const names = sequence(...hosts.map((host) => der(0x82, Buffer.from(host))))
  const certificate = issue({
    ...{ subject: hosts[0] ?? '', issuer: hosts[0] ?? '', notAfter, publicKey, signingKey: privateKey },
    algorithm: ECDSA_WITH_SHA256,
    extensions: [sequence(oid('0603551d11'), der(0x04, names))],
  })
  return { key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: certificate }
}

/**
 * Makes a chain of certificates that no client trusts, and whose verification takes long: the public exponent of its key
 * has as many bits as the modulus.
 *
 * @param length number of certificates; each takes some milliseconds
 */
export function makeCostlyChain(length: number): Certificate {
  const { privateKey: ordinary } = generateKeyPairSync('rsa', { modulusLength: 3072 })
  const jwk = ordinary.export({ format: 'jwk' })
  const { n = '', e = '', d = '' } = jwk
  const signingKey = createPrivateKey({ key: { ...jwk, e: d, d: e, dp: e, dq: e }, format: 'jwk' })
  const publicKey = createPublicKey({ key: { kty: 'RSA', n, e: d }, format: 'jwk' })
  const notAfter = new Date(Date.now() + 86_400_000)
  const certificates = Array.from({ length }, (_, place) =>
    issue({
      ...{ subject: `link ${place}`, issuer: `link ${place + 1}`, notAfter, publicKey, signingKey },
      algorithm: RSA_WITH_SHA256,
      extensions: [],
    }),
  )
  return { key: signingKey.export({ type: 'pkcs8', format: 'pem' }).toString(), cert: certificates.join('') }
}

const ECDSA_WITH_SHA256 = sequence(oid('06082a8648ce3d040302'))
const RSA_WITH_SHA256 = sequence(oid('06092a864886f70d01010b'), Buffer.of(0x05, 0x00))
/** Marks a certificate as that of a certificate authority. */
const OF_AUTHORITY = sequence(
  oid('0603551d13'),
  der(0x01, Buffer.of(0xff)),
  der(0x04, sequence(der(0x01, Buffer.of(0xff)))),
)

interface ToIssue {
  subject: string
  issuer: string
  notAfter: Date
  publicKey: KeyObject
  signingKey: KeyObject
  algorithm: Buffer
  extensions: readonly Buffer[]
}

/** Returns a certificate in PEM format. */
function issue({ subject, issuer, notAfter, publicKey, signingKey, algorithm, extensions }: ToIssue): string {
  const nameOf = (text: string) => sequence(der(0x31, sequence(oid('0603550403'), der(0x0c, Buffer.from(text)))))
  const content = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    algorithm,
    nameOf(issuer),
    sequence(utcTime(new Date(Date.now() - 172_800_000)), utcTime(notAfter)),
    nameOf(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions, OF_AUTHORITY)),
  )
  const signature = der(0x03, Buffer.concat([Buffer.of(0), sign('sha256', content, signingKey)]))
  return new X509Certificate(sequence(content, algorithm, signature)).toString()
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
