import type { FastifyReply, FastifyRequest } from 'fastify'
import { signalOfHangUp } from '../../platform/http/connections/hang-up.ts'
import { type Principal, principalOf } from '../../platform/http/core/principal.ts'
import type { SignedLinks } from '../../platform/http/links/signed-links.ts'
import { requireIfMatch } from '../../platform/http/responses/etag.ts'
import type { StorageQuota } from '../../platform/storage/index.ts'
import type { Renderer } from '../../rendering/index.ts'
import type { FinalizeDeps } from '../finalization/begin-finalization.ts'
import type { PreviewDeps } from '../preview-design.ts'
import { designProblems } from '../problems.ts'
import { etagsOfContent } from '../state.ts'
import { type Design, readDesign } from '../store.ts'

export const tags = ['Designs']

export type RouteDeps = FinalizeDeps &
  PreviewDeps & {
    quota: Pick<StorageQuota, 'charge' | 'unpaid'>
    links: SignedLinks
    renderer: Pick<Renderer, 'requireRoom'>
  }

/**
 * Reads a design of the caller.
 *
 * @throws `design_not_found`
 */
export async function requireDesign(
  { database }: Pick<RouteDeps, 'database'>,
  designId: string,
  { userId }: Principal,
): Promise<Design> {
  const design = await readDesign(database.reads, { id: designId, ownerId: userId })
  if (design === undefined) throw designProblems.design_not_found()
  return design
}

/** Removes waiting checks from the queue when the client disconnects. */
export function whileConnected(deps: RouteDeps, reply: FastifyReply): RouteDeps {
  return { ...deps, signal: signalOfHangUp(reply) }
}

export function keyOf(request: FastifyRequest): { id: string; ownerId: string } {
  const { designId } = request.params as { designId: string }
  return { id: designId, ownerId: principalOf(request).userId }
}

/** Compares `If-Match` with the version of a design that is to be changed. */
export function sameVersion(request: FastifyRequest): (design: Design, now: Date) => void {
  return (design, now) => requireIfMatch(request, ...etagsOfContent(design, now))
}

export function sendJsonText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}
