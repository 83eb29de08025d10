import type { FastifyReply, FastifyRequest } from 'fastify'
import { piecesOf } from '../platform/http/flow/pieces.ts'
import { isNotModified, sendNotModified } from '../platform/http/responses/etag.ts'
import type { StoredPage } from './pages.ts'

/** For pages whose URL contains a hash of their content. */
export const FOREVER = 'public, max-age=31536000, immutable'

/** For pages whose content may change. */
export const REVALIDATE = 'public, no-cache'

/** Sends a page, or 304 if the client has it and it is no page of an error. All responses share the bytes of the page. */
export function sendPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { type, bytes, etag }: StoredPage,
  caching = REVALIDATE,
): FastifyReply {
  const isKnown = isNotModified(request, reply, etag) && reply.statusCode < 300
  reply.header('Cache-Control', caching)
  if (isKnown) return sendNotModified(reply)
  return reply.type(type).header('Content-Length', bytes.length).send(piecesOf(bytes))
}
