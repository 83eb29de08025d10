import type { FastifyReply, FastifyRequest } from 'fastify'
import { httpProblems } from '../core/problems.ts'

/**
 * Refuses a change whose `If-Match` header does not name the current version (RFC 9110, 13.1.1).
 * A request without the header is let through. Weak tags never match, as the comparison is strong.
 *
 * @param accepted the entity tags, quotes included, any of which is the version the change may be made on
 */
export function requireIfMatch(request: FastifyRequest, ...accepted: string[]): void {
  const header = request.headers['if-match']
  if (header === undefined || header.trim() === '*') return
  const tags = header.split(',').map((tag) => tag.trim())
  if (!tags.some((tag) => accepted.includes(tag))) {
    throw httpProblems.precondition_failed({ headers: { ETag: accepted[0] ?? '' } })
  }
}

/** `Cache-Control` of responses that only the caller may see, unless a route says otherwise. */
export const NOT_KEPT = 'no-store'

/** `Cache-Control` of such responses with an ETag: clients may keep them and ask whether they changed. */
const ASK_AGAIN = 'private, no-cache'

/** Sets the `ETag` and tells whether the client already has this version (`If-None-Match`): then answer 304 without a body. */
export function isNotModified(request: FastifyRequest, reply: FastifyReply, etag: string): boolean {
  reply.header('ETag', etag)
  if (reply.getHeader('Cache-Control') === NOT_KEPT) reply.header('Cache-Control', ASK_AGAIN)
  const header = request.headers['if-none-match']
  if (header === undefined) return false
  if (header.trim() === '*') return true
  return header.split(',').some((tag) => tag.trim().replace(/^W\//, '') === etag)
}

/** Answers 304 with nothing: neither `null`, nor the type and length of what is not sent. */
export function sendNotModified(reply: Pick<FastifyReply, 'code'>): FastifyReply {
  return reply.code(304).send()
}
