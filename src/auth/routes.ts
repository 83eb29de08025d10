import { Type } from 'typebox'
import { publicRoute } from '../platform/http/guard.ts'
import type { App } from '../platform/http/server.ts'
import { registrationRoutes } from './accounts/routes.ts'
import { profileRoutes, userRoutes } from './accounts/user-routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import type { Auth } from './auth.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

/** The `/api/...` routes, which answer below the base address and directly below the origin. */
export function authApiRoutes(app: App, { context }: Auth): void {
  app.register(async (scope) => {
    neverCached(scope)
    registrationRoutes(scope, context)
    signInRoutes(scope, context)
    sessionRoutes(scope, context)
    passwordRoutes(scope, context)
    apiKeyRoutes(scope, context)
  })
}

/** `/me` and `/users`, below the base address. */
export function accountRoutes(app: App, { context }: Auth): void {
  app.register(async (scope) => {
    neverCached(scope)
    profileRoutes(scope, context)
    userRoutes(scope, context)
  })
}

const Jwk = Type.Object(
  {
    kty: Type.String(),
    crv: Type.String(),
    x: Type.String(),
    kid: Type.String(),
    use: Type.String(),
    alg: Type.String(),
  },
  { additionalProperties: false },
)

/** `/.well-known/jwks.json`, directly below the origin. */
export function wellKnownRoutes(app: App, { jwks }: Auth): void {
  app.get(
    '/.well-known/jwks.json',
    {
      onRequest: publicRoute,
      schema: {
        operationId: 'getJwks',
        tags: ['Sign-in'],
        summary: 'Public keys that check access tokens and receipts (RFC 7517)',
        response: { 200: Type.Object({ keys: Type.Array(Jwk) }, { additionalProperties: false }) },
      },
    },
    async (_request, reply) => reply.header('Cache-Control', 'public, max-age=300').send(jwks()),
  )
}

/** Everything here is personal or secret, also where an answer of today holds no token. */
function neverCached(scope: App): void {
  scope.addHook('onSend', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
  })
}
