import type { FastifyReply, FastifyRequest } from 'fastify'
import { httpProblems } from '../core/problems.ts'
import { requireHonoured } from '../core/route-headers.ts'

/**
 * Rejects a change whose `If-Match` header does not name the current version (RFC 9110, section 13.1.1). A request
 * without the header is accepted. Weak tags never match, because the comparison is strong.
 *
 * @param accepted the entity tags, including quotes, of versions on which the change may be made
 */
export function requireIfMatch(request: FastifyRequest, ...accepted: string[]): void {
  if (isExpectedVersion(request, ...accepted)) return
  throw httpProblems.precondition_failed({ headers: { ETag: accepted[0] ?? '' } })
}

export type ConditionalRequest = Pick<FastifyRequest, 'headers'> & Partial<Pick<FastifyRequest, 'routeOptions'>>

/** Tells whether the `If-Match` header of a request, if there is one, names an accepted version. */
export function isExpectedVersion(request: ConditionalRequest, ...accepted: string[]): boolean {
  requireHonoured(request, 'If-Match')
  const header = request.headers['if-match']
  if (header === undefined || header.trim() === '*') return true
  return header.split(',').some((tag) => accepted.includes(tag.trim()))
}

/** The default `Cache-Control` of responses: only the caller may see them, so nothing may store them. */
export const NO_STORE = 'no-store'

/**
 * The `Cache-Control` of responses with an ETag that only the caller may see: a client may store them, but must
 * revalidate them.
 */
const REVALIDATE = 'private, no-cache'

/** Sets the `ETag` of a response that clients may store and revalidate. */
export function setETag(reply: FastifyReply, etag: string): void {
  reply.header('ETag', etag)
  if (reply.getHeader('Cache-Control') === NO_STORE) reply.header('Cache-Control', REVALIDATE)
}

/**
 * Sets the `ETag` and tells whether the client already has this version (`If-None-Match`). In this case, the caller
 * responds with 304 and no body.
 */
export function isNotModified(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  setETag(reply, etag)
  const header = request.headers['if-none-match']
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** Sends a 304 response without a body, and without the type and length of a body. */
export function sendNotModified(reply: Pick<FastifyReply, 'code'>): FastifyReply {
  return reply.code(304).send()
}
