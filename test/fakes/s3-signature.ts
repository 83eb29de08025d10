import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** An error as S3 returns it: its status, and the code and message of its XML body. */
export interface S3Refusal {
  status: number
  code: string
  message: string
}

export interface S3Credentials {
  accessKeyId: string
  secretAccessKey: string
  region: string
}

/** How far the time of a signature may differ from the current time. */
const SKEW_MS = 15 * 60_000

const UNSIGNED = 'UNSIGNED-PAYLOAD'

interface Signature {
  keyId: string
  /** The credential scope, such as `20260101/eu-central-1/s3/aws4_request`. */
  scope: string
  signedHeaders: string[]
  signature: string
  /** The time of the signature, such as `20260101T120000Z`. */
  date: string
  payloadHash: string
  expiresSeconds: number | undefined
}

/**
 * Verifies an AWS Signature Version 4 in the `Authorization` header or in the query. Returns the error for an invalid
 * signature, or undefined.
 *
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html
 */
export function checkSignature(request: IncomingMessage, url: URL, own: S3Credentials): S3Refusal | undefined {
  const inQuery = url.searchParams.has('X-Amz-Signature')
  if (inQuery && request.headers.authorization !== undefined) {
    return { status: 400, code: 'InvalidArgument', message: 'Only one auth mechanism allowed' }
  }
  const found = inQuery ? readQuery(url) : readHeader(request)
  if (found === undefined) return { status: 403, code: 'AccessDenied', message: 'Access Denied' }
  if (found.keyId !== own.accessKeyId) {
    return { status: 403, code: 'InvalidAccessKeyId', message: 'The AWS Access Key Id you provided does not exist' }
  }
  const [day = '', region, service, ending] = found.scope.split('/')
  if (region !== own.region || service !== 's3' || ending !== 'aws4_request' || !found.date.startsWith(day)) {
    return {
      status: 400,
      code: 'AuthorizationHeaderMalformed',
      message: `the region is wrong; expecting ${own.region}`,
    }
  }
  const late = judgeTime(found)
  if (late !== undefined) return late
  const needed = ['host', ...Object.keys(request.headers).filter((name) => name.startsWith('x-amz-'))]
  const unsigned = needed.find((name) => !found.signedHeaders.includes(name))
  if (unsigned !== undefined) return { status: 403, code: 'AccessDenied', message: `unsigned header: ${unsigned}` }
  const expected = sign(request, url, found, own)
  const isRight =
    expected.length === found.signature.length && timingSafeEqual(toBytes(expected), toBytes(found.signature))
  if (isRight) return undefined
  const message = 'The request signature we calculated does not match the signature you provided.'
  return { status: 403, code: 'SignatureDoesNotMatch', message }
}

function judgeTime({ date, expiresSeconds }: Signature): S3Refusal | undefined {
  const iso = date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z')
  const ageMs = Date.now() - Date.parse(iso)
  if (expiresSeconds !== undefined) {
    const isGood = ageMs > -SKEW_MS && ageMs < expiresSeconds * 1000 && expiresSeconds <= 604_800
    return isGood ? undefined : { status: 403, code: 'AccessDenied', message: 'Request has expired' }
  }
  if (Math.abs(ageMs) < SKEW_MS) return undefined
  return { status: 403, code: 'RequestTimeTooSkewed', message: 'The difference between the times is too large.' }
}

function readHeader({ headers }: IncomingMessage): Signature | undefined {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/
  const [, keyId, scope, signedHeaders, signature] = pattern.exec(headers.authorization ?? '') ?? []
  const date = headers['x-amz-date']
  const payloadHash = headers['x-amz-content-sha256']
  if (keyId === undefined || scope === undefined || signedHeaders === undefined || signature === undefined) return
  if (typeof date !== 'string' || typeof payloadHash !== 'string') return
  return {
    keyId,
    scope,
    signedHeaders: signedHeaders.split(';'),
    signature,
    date,
    payloadHash,
    expiresSeconds: undefined,
  }
}

function readQuery({ searchParams }: URL): Signature | undefined {
  const [, keyId, scope] = /^([^/]+)\/(.+)$/.exec(searchParams.get('X-Amz-Credential') ?? '') ?? []
  const signature = searchParams.get('X-Amz-Signature')
  const date = searchParams.get('X-Amz-Date')
  if (keyId === undefined || scope === undefined || signature === null || date === null) return undefined
  if (searchParams.get('X-Amz-Algorithm') !== 'AWS4-HMAC-SHA256') return undefined
  const signedHeaders = (searchParams.get('X-Amz-SignedHeaders') ?? '').split(';')
  const payloadHash = searchParams.get('X-Amz-Content-Sha256') ?? UNSIGNED
  const expiresSeconds = Number(searchParams.get('X-Amz-Expires') ?? Number.NaN)
  return { keyId, scope, signedHeaders, signature, date, payloadHash, expiresSeconds }
}

function sign(request: IncomingMessage, url: URL, found: Signature, own: S3Credentials): string {
  const path = url.pathname.split('/').map(encodeOnce).join('/')
  const query = [...url.searchParams]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
  const headers = found.signedHeaders.map((name) => `${name}:${headerOf(request, name)}\n`).join('')
  const canonical = [request.method, path, query, headers, found.signedHeaders.join(';'), found.payloadHash].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', found.date, found.scope, createHash('sha256').update(canonical).digest('hex')]
  const key = found.scope
    .split('/')
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${own.secretAccessKey}`)
  return hmac(key, toSign.join('\n')).toString('hex')
}

function headerOf({ headers }: IncomingMessage, name: string): string {
  return String(headers[name] ?? '')
    .trim()
    .replace(/ +/g, ' ')
}

function encodeOnce(segment: string): string {
  return encode(decodeURIComponent(segment))
}

/** Percent-encodes all characters except those that RFC 3986 calls unreserved. */
function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

function toBytes(hex: string): Buffer {
  return Buffer.from(hex, 'hex')
}

/** Compares the bytes of a body with the checksums in its headers. Returns the error for a difference, or undefined. */
export function checkPayload({ headers }: IncomingMessage, body: Buffer): S3Refusal | undefined {
  const digest = createHash('sha256').update(body).digest()
  const promised = headers['x-amz-content-sha256']
  if (promised !== UNSIGNED && promised !== digest.toString('hex')) {
    return {
      status: 400,
      code: 'XAmzContentSHA256Mismatch',
      message: 'The provided header does not match what was computed.',
    }
  }
  const checksum = headers['x-amz-checksum-sha256']
  if (checksum !== undefined && checksum !== digest.toString('base64')) {
    return { status: 400, code: 'BadDigest', message: 'The SHA256 you specified did not match what we received.' }
  }
  return undefined
}
