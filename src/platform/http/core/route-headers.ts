import type { onRequestHookHandler } from 'fastify'

/** Request headers that change what an operation does. */
export type HonouredHeader = 'Idempotency-Key' | 'If-Match' | 'Prefer' | 'Accept'

export interface Deprecated {
  /** Time since which the operation is deprecated, in RFC 3339. */
  since: string
  /** Time after which the operation may be removed, in RFC 3339. */
  sunset: string
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The request headers that the route honours. The OpenAPI document lists them. */
    honours?: readonly HonouredHeader[]
    /** The headers of successful responses that the OpenAPI document lists. */
    sets?: readonly ('ETag' | 'Location')[]
    /** Sets `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) in every response. */
    deprecated?: Deprecated
  }
}

interface DeclaredRequest {
  readonly routeOptions?: {
    readonly url?: string | undefined
    readonly config: { honours?: readonly HonouredHeader[] }
  }
}

/**
 * Makes the use of a header fail that the route does not declare, because the OpenAPI document would lack it. Requests
 * without a route, as in unit tests, are not checked.
 */
export function requireHonoured({ routeOptions }: DeclaredRequest, header: HonouredHeader): void {
  if (routeOptions === undefined || routeOptions.config.honours?.includes(header) === true) return
  throw new Error(`the route ${routeOptions.url} uses ${header} and does not declare it in \`honours\``)
}

/** Adds the headers of deprecated routes. */
export const announceDeprecation: onRequestHookHandler = (request, reply, done) => {
  const { deprecated } = request.routeOptions.config
  if (deprecated !== undefined) {
    reply.header('Deprecation', `@${Math.floor(Date.parse(deprecated.since) / 1000)}`)
    reply.header('Sunset', new Date(deprecated.sunset).toUTCString())
  }
  done()
}
