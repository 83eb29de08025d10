import type { FastifyRequest } from 'fastify'

/** The header that tells where what a POST to a list has made is to be found: below the list, by its id. */
export function locationOfNew(request: FastifyRequest, { id }: { id: string }): { Location: string } {
  return { Location: `${request.routeOptions.url}/${id}` }
}
