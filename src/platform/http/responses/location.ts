import type { FastifyRequest } from 'fastify'

/**
 * Returns the `Location` header for a record that a POST to a list created: the URL of the list with the id appended.
 */
export function locationOfNew(request: FastifyRequest, { id }: { id: string }): { Location: string } {
  return { Location: `${request.routeOptions.url}/${id}` }
}
