import { verify } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { authProblems } from '../problems.ts'
import { KeysUnavailable, type PublicKeys } from './public-keys.ts'

const IDENTIFIER = /^[\w-]{1,128}$/
/** A signature on P-256 has at most 72 bytes in DER. */
const SIGNATURE = /^[A-Za-z0-9+/]{1,96}={0,2}$/

/**
 * Verifies GitHub's signature of a body (ECDSA on P-256 with SHA-256) over the bytes that were sent.
 *
 * @throws `invalid_signature`; `service_unavailable` if GitHub's keys cannot be fetched
 */
export async function requireSignature(keys: PublicKeys, headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
  const identifier = String(headers['github-public-key-identifier'] ?? '')
  const signature = String(headers['github-public-key-signature'] ?? '')
  if (!IDENTIFIER.test(identifier) || !SIGNATURE.test(signature)) throw invalidSignature()
  const key = await keys.find(identifier).catch((error: unknown) => {
    throw error instanceof KeysUnavailable ? keysUnavailable() : error
  })
  if (key === undefined || !verify('sha256', body, key, Buffer.from(signature, 'base64'))) throw invalidSignature()
}

function invalidSignature() {
  return authProblems.invalid_signature({ headers: { 'WWW-Authenticate': 'Signature realm="platen"' } })
}

function keysUnavailable() {
  const detail = 'The service could not fetch the keys of GitHub that verify the signature.'
  return httpProblems.service_unavailable({ detail, headers: { 'Retry-After': '60' } })
}
