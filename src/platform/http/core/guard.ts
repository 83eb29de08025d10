import type { FastifyInstance, FastifyRequest, HookHandlerDoneFunction, RouteOptions } from 'fastify'

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
  /** Whether every caller is anonymous, even one who sends a credential. */
  ignoresCredential?: boolean
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Filled from the guard of the route. */
    guard?: GuardDescription
  }
}

const GUARD = Symbol('guard')

/** Throws if it rejects the request. Most checks need not wait, and return no promise. */
type Check = (request: FastifyRequest) => Promise<void> | undefined

export type Guard = ((
  request: FastifyRequest,
  reply: unknown,
  done: HookHandlerDoneFunction,
) => Promise<void> | undefined) & { [GUARD]: GuardDescription; check: Check }

export function defineGuard(description: GuardDescription, check: Check): Guard {
  const guard = (request: FastifyRequest, _reply: unknown, done: HookHandlerDoneFunction) => {
    const waiting = check(request)
    if (waiting === undefined) done()
    return waiting
  }
  return Object.assign(guard, { [GUARD]: description, check })
}

/** Adds a check to a guard, which runs after it. */
export function extendGuard(guard: Guard, check: Check): Guard {
  return defineGuard(guard[GUARD], (request) => {
    const waiting = guard.check(request)
    return waiting === undefined ? check(request) : waiting.then(() => check(request))
  })
}

/**
 * For routes that everyone may call. Such a route must state this guard, because the service does not start if a route
 * has none.
 */
export const publicRoute: Guard = defineGuard({ kind: 'public' }, () => {})

/**
 * For public routes that register, sign in or send mails. They ignore credentials. Otherwise, the limits of IP addresses and
 * networks would not apply to callers with an account.
 */
export const anonymousRoute: Guard = defineGuard({ kind: 'public', ignoresCredential: true }, () => {})

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
