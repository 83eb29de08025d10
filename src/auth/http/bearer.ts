import type { HttpRequest } from '../../platform/http/core/request.ts'

/** The form of RFC 6750, 2.1. The scheme's name is case-insensitive. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** The longest credential is an access token, well under 1 kB. */
const MAX_LENGTH = 4096

export function hasAuthorization(request: HttpRequest): boolean {
  return request.headers.authorization !== undefined
}

/**
 * Reads the credential of a request; undefined if it is missing or malformed. Only the header counts: credentials in
 * URLs end up in logs.
 */
export function bearerOf(request: HttpRequest): string | undefined {
  const header = request.headers.authorization
  if (header === undefined || header.length > MAX_LENGTH || isRepeated(request.raw.rawHeaders)) return undefined
  return BEARER.exec(header)?.[1]
}

/** Node silently keeps the first of two headers, while a proxy may have read the other one. */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 13 && name.toLowerCase() === 'authorization') seen += 1
  }
  return seen > 1
}
