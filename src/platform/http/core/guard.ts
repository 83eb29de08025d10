import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'

/** How a route is protected; also what the OpenAPI document says of it. */
export interface GuardDescription {
  /** `public`: anyone. `session`: a person's own session, never a key. `scope`: a session, or a key with the permission. */
  kind: 'public' | 'session' | 'scope' | 'role' | 'local'
  permission?: string
  /** What a key needs besides. */
  morePermissions?: readonly string[]
  role?: string
  stepUp?: boolean
}

const GUARD = Symbol('guard')

export type Guard = ((request: FastifyRequest) => Promise<void>) & { [GUARD]: GuardDescription }

export function defineGuard(description: GuardDescription, check: (request: FastifyRequest) => Promise<void>): Guard {
  return Object.assign(check, { [GUARD]: description })
}

/** For routes that anyone may call. Said aloud, because a route without a guard does not start. */
export const publicRoute: Guard = defineGuard({ kind: 'public' }, async () => {})

export function guardOf(route: Pick<RouteOptions, 'onRequest'>): GuardDescription | undefined {
  const hooks = Array.isArray(route.onRequest) ? route.onRequest : [route.onRequest]
  for (const hook of hooks) if (hook !== undefined && GUARD in hook) return (hook as Guard)[GUARD]
  return undefined
}

/** Makes the start fail when a route states no guard: forgetting one must not publish data. */
export function requireGuards(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    if (guardOf(route) === undefined) {
      throw new Error(
        `Route ${String(route.method)} ${route.url} states no guard. Add one as \`onRequest\`, or \`publicRoute\`.`,
      )
    }
  })
}
