import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify'

/** How a route is protected. The OpenAPI document describes it in the same way. */
export interface GuardDescription {
  /**
   * `public`: everyone. `session`: a session, but no API key. `scope`: a session, or an API key with the permission.
   * `role`: an account with the role. `local`: a browser on this computer.
   */
  kind: 'public' | 'session' | 'scope' | 'role' | 'local'
  permission?: string
  /** Further permissions that an API key needs. */
  morePermissions?: readonly string[]
  /** Permissions, each of which suffices instead of `permission`. */
  alternatives?: readonly string[]
  role?: string
  stepUp?: boolean
  /** Whether operators may name the customer for whom they act (`Platen-Customer`). */
  takesCustomer?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Filled from the guard of the route. */
    guard?: GuardDescription
  }
}

const GUARD = Symbol('guard')

export type Guard = ((request: FastifyRequest) => Promise<void>) & { [GUARD]: GuardDescription }

export function defineGuard(description: GuardDescription, check: (request: FastifyRequest) => Promise<void>): Guard {
  // A function of its own, because two guards may have the same check.
  return Object.assign((request: FastifyRequest) => check(request), { [GUARD]: description })
}

/** Adds a check to a guard, which runs after it. */
export function extendGuard(guard: Guard, check: (request: FastifyRequest) => Promise<void>): Guard {
  return defineGuard(guard[GUARD], async (request) => {
    await guard(request)
    await check(request)
  })
}

/**
 * For routes that everyone may call. Such a route must state this guard, because the service does not start if a route
 * has none.
 */
export const publicRoute: Guard = defineGuard({ kind: 'public' }, async () => {})

export function guardOf(route: Pick<RouteOptions, 'onRequest'>): GuardDescription | undefined {
  const hooks = Array.isArray(route.onRequest) ? route.onRequest : [route.onRequest]
  for (const hook of hooks) if (hook !== undefined && GUARD in hook) return (hook as Guard)[GUARD]
  return undefined
}

/** Makes the start fail if a route states no guard, so that a forgotten guard cannot publish data. */
export function requireGuards(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const guard = guardOf(route)
    if (guard === undefined) {
      throw new Error(
        `Route ${String(route.method)} ${route.url} has no guard. Add one as \`onRequest\`, or \`publicRoute\`.`,
      )
    }
    route.config = { ...route.config, guard }
  })
}
