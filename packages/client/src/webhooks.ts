import type { WebhookEvent } from './generated/types.ts'

export type { WebhookEvent }

export interface WebhookInput {
  /** The body as it arrived. Parsing and formatting it again would change the signed bytes. */
  body: string | Uint8Array | ArrayBuffer
  /** The headers of the request: `Headers`, or an object such as `request.headers` of Node.js. */
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>
  /** The secret of the endpoint (`whsec_...`). Several during a change of the secret. */
  secret: string | readonly string[]
  /** How far the timestamp may be from the present time. Default: 300. */
  toleranceSeconds?: number | undefined
}

/** Why a request is not a genuine event. */
export type WebhookRefusal = 'header_missing' | 'timestamp_outside_tolerance' | 'signature_mismatch' | 'body_malformed'

/** The request is not a genuine event of the service. Respond with status 401. */
export class WebhookVerificationError extends Error {
  override name = 'WebhookVerificationError'
  readonly code: WebhookRefusal

  constructor(code: WebhookRefusal, message: string) {
    super(message)
    this.code = code
  }
}

const DEFAULT_TOLERANCE_SECONDS = 300

/**
 * Verifies a request of the service (Standard Webhooks 1.0), and returns its event.
 *
 * @throws {WebhookVerificationError}
 * @throws {TypeError} if the program passes no secret, or a parsed body
 */
export async function verifyWebhook(input: WebhookInput): Promise<WebhookEvent> {
  const { body, headers, secret, toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = input
  const secrets = [secret].flat()
  checkProgram(body, secrets)
  const [id, timestamp, signatures] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    requireHeader(headers, name),
  ) as [string, string, string]
  // An attacker can send a genuine request again, but only for as long as this.
  if (!(Math.abs(Date.now() / 1000 - Number(timestamp)) <= toleranceSeconds)) {
    throw new WebhookVerificationError('timestamp_outside_tolerance', `webhook-timestamp is ${timestamp}`)
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : new Uint8Array(body)
  const signed = concat(new TextEncoder().encode(`${id}.${timestamp}.`), bytes)
  for (const key of await Promise.all(secrets.map(importKey))) {
    for (const signature of signatures.split(' ')) {
      if (await isSignature(key, signature, signed)) return parseEvent(bytes)
    }
  }
  throw new WebhookVerificationError('signature_mismatch', 'webhook-signature is not by one of the secrets')
}

/** Verifies a `Request` of the Fetch standard. Reads its body. @throws {WebhookVerificationError} */
export async function verifyWebhookRequest(
  request: Request,
  options: Pick<WebhookInput, 'secret' | 'toleranceSeconds'>,
): Promise<WebhookEvent> {
  return verifyWebhook({ ...options, body: new Uint8Array(await request.arrayBuffer()), headers: request.headers })
}

/** Names mistakes of the program, which would otherwise look like a request that is not genuine. */
function checkProgram(body: unknown, secrets: readonly unknown[]): void {
  if (typeof body !== 'string' && !ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer)) {
    throw new TypeError('body must be the bytes or the text as received, not parsed JSON')
  }
  const isMissing = secrets.length === 0 || secrets.some((secret) => typeof secret !== 'string' || secret === '')
  if (isMissing) throw new TypeError('secret is missing')
}

function requireHeader(headers: WebhookInput['headers'], name: string): string {
  const value = headers instanceof Headers ? headers.get(name) : findMember(headers, name)
  if (typeof value === 'string' && value !== '') return value
  throw new WebhookVerificationError('header_missing', `the request has no header ${name}`)
}

function findMember(headers: Exclude<WebhookInput['headers'], Headers>, name: string): unknown {
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1]
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function importKey(secret: string): Promise<CryptoKey> {
  const bytes = decodeBase64(secret.replace(/^whsec_/, ''))
  // Without this check, a signature by an empty key would be valid if the secret is missing in the configuration.
  if (bytes === undefined || bytes.length === 0)
    throw new TypeError('the secret of the webhook is not whsec_ and base64')
  return crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['verify'])
}

/** Compares in constant time, as Web Crypto does. */
async function isSignature(key: CryptoKey, text: string, signed: Uint8Array<ArrayBuffer>): Promise<boolean> {
  const [version, encoded = ''] = text.split(',')
  const signature = decodeBase64(encoded)
  return version === 'v1' && signature !== undefined && crypto.subtle.verify('HMAC', key, signature, signed)
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

function concat(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(first.length + second.length)
  all.set(first)
  all.set(second, first.length)
  return all
}

function parseEvent(bytes: Uint8Array): WebhookEvent {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as WebhookEvent
  } catch {
    throw new WebhookVerificationError('body_malformed', 'the body is not JSON')
  }
}
