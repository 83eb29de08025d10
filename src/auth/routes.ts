import { Type } from 'typebox'
import { publicRoute } from '../platform/http/core/guard.ts'
import type { App } from '../platform/http/server.ts'
import { emailChangeRoutes } from './accounts/email-change/routes.ts'
import { personalDataRoutes } from './accounts/personal-data/routes.ts'
import { registrationRoutes } from './accounts/registration/routes.ts'
import { storageAccountRoutes } from './accounts/storage/routes.ts'
import { profileRoutes, userRoutes } from './accounts/user-routes.ts'
import { userSessionRoutes } from './accounts/user-session-routes.ts'
import { apiKeyRoutes } from './api-keys/routes.ts'
import { securityEventRoutes } from './audit/routes.ts'
import type { Auth } from './auth.ts'
import { customerRoutes } from './customers/routes.ts'
import { factorResetRoutes, stopFactorResetRoute } from './factor-resets/routes.ts'
import { guestRoutes } from './guests/routes.ts'
import { refuseForeignSites } from './http/same-site.ts'
import { acceptSessionCookies } from './http/session-cookie.ts'
import { acceptInvitationRoutes, invitationRoutes } from './invitations/routes.ts'
import { signingKeyRoutes } from './keys/rotation/routes.ts'
import { JWKS_MAX_AGE_SECONDS } from './keys/signing-keys.ts'
import { mfaRoutes } from './mfa/routes.ts'
import { oauthRoutes } from './oauth/routes.ts'
import { passkeyRoutes } from './passkeys/routes.ts'
import { passwordRoutes } from './passwords/routes.ts'
import { secretScanningRoutes } from './secret-scanning/routes.ts'
import { sessionRoutes } from './sessions/routes.ts'
import { signInRoutes } from './sign-in/routes.ts'

/** Adds the routes below `/api`. The caller mounts them both below the base URL and directly below the origin. */
export function authApiRoutes(app: App, { services }: Auth): void {
  app.register(async (scope) => {
    neverCached(scope)
    refuseForeignSites(scope, services.config)
    acceptSessionCookies(scope, services)
    registrationRoutes(scope, services)
    emailChangeRoutes(scope, services)
    signInRoutes(scope, services)
    mfaRoutes(scope, services)
    sessionRoutes(scope, services)
    passwordRoutes(scope, services)
    passkeyRoutes(scope, services)
    oauthRoutes(scope, services)
    apiKeyRoutes(scope, services)
    guestRoutes(scope, services)
    acceptInvitationRoutes(scope, services)
    stopFactorResetRoute(scope, services)
  })
}

/** Adds the routes of accounts and security events. The caller mounts them below the base URL. */
export function accountRoutes(app: App, { services }: Auth): void {
  app.register(async (scope) => {
    neverCached(scope)
    profileRoutes(scope, services)
    personalDataRoutes(scope, services)
    userRoutes(scope, services)
    userSessionRoutes(scope, services)
    storageAccountRoutes(scope, services)
    invitationRoutes(scope, services)
    factorResetRoutes(scope, services)
    customerRoutes(scope, services)
    secretScanningRoutes(scope, services)
    securityEventRoutes(scope, services)
    signingKeyRoutes(scope, services)
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

export function wellKnownRoutes(app: App, { services: { keys } }: Auth): void {
  app.get(
    '/.well-known/jwks.json',
    {
      onRequest: publicRoute,
      schema: {
        operationId: 'getJwks',
        tags: ['Sign-in'],
        summary: 'Read the public keys of access tokens and receipts (RFC 7517)',
        response: { 200: Type.Object({ keys: Type.Array(Jwk) }, { additionalProperties: false }) },
      },
    },
    async (_request, reply) => {
      // If the database is unavailable, the cached keys are returned, because they are still valid.
      await keys.refresh().catch(() => undefined)
      return reply.header('Cache-Control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`).send(keys.jwks())
    },
  )
}

/** Forbids caching in all responses of a scope, because they contain personal or secret data. */
function neverCached(scope: App): void {
  scope.addHook('onSend', async (_request, reply) => {
    reply.header('Cache-Control', 'no-store')
  })
}
