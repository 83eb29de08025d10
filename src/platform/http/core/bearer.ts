import type { HttpRequest } from './request.ts'

/** A bearer token in the form of RFC 6750, section 2.1. The name of the scheme is case-insensitive. */
const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Longer headers are rejected unread. The longest credential is an access token, which has less than 1 kB. */
const MAX_LENGTH = 4096

export function hasAuthorization(request: HttpRequest): boolean {
  return request.headers.authorization !== undefined
}

/**
 * Reads the credential of a request. Returns undefined if it is missing or malformed. Credentials in URLs are ignored,
 * because URLs end up in logs.
 */
export function bearerOf(request: HttpRequest): string | undefined {
  const header = request.headers.authorization
  if (header === undefined || header.length > MAX_LENGTH || isRepeated(request.raw.rawHeaders)) return undefined
  return BEARER.exec(header)?.[1]
}

/**
 * Returns whether a request has several `Authorization` headers. Node uses the first one without a warning, while a
 * proxy may have checked another one.
 */
function isRepeated(rawHeaders: readonly string[]): boolean {
  let seen = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 13 && name.toLowerCase() === 'authorization') seen += 1
  }
  return seen > 1
}
