import { anonymousRoute } from '../../platform/http/core/guard.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { EmptyBody } from '../../platform/http/input/empty-body.ts'
import { PageQuery, pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import { requireSession, requireStepUp } from '../http/guards.ts'
import { SessionQuery } from '../http/session-cookie.ts'
import { isId } from '../ids.ts'
import { authProblems, COOKIE_PROBLEMS } from '../problems.ts'
import { NoContent } from '../schemas.ts'
import type { AccountChangeDeps } from '../sessions/end-sessions.ts'
import { SignInBody } from '../sessions/schemas.ts'
import { type PresentDeps, presentSignIn } from '../sign-in/present-sign-in.ts'
import { offerRegistration, registerPasskey } from './register-passkey.ts'
import { removePasskey } from './remove-passkey.ts'
import { offerSignIn, type PasskeySignInDeps, signInWithPasskey } from './sign-in-with-passkey.ts'
import {
  AssertionBody,
  AssertionOffer,
  NewPasskeyBody,
  PasskeyBody,
  PasskeyChange,
  PasskeyParams,
  RegistrationBody,
  RegistrationOffer,
  toPasskeyBody,
} from './webauthn/schemas.ts'
import { listPasskeys, renamePasskey } from './webauthn/store.ts'

type RoutesDeps = AccountChangeDeps & PasskeySignInDeps & PresentDeps

export function passkeyRoutes(app: App, auth: RoutesDeps): void {
  registrationRoutes(app, auth)
  managementRoutes(app, auth)
  signInRoutes(app, auth)
}

function registrationRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/webauthn/register',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'offerPasskey',
        problems: [authProblems.passkey_limit_reached],
        tags: ['Account'],
        summary: 'Get the options for a new passkey',
        description: 'The options work once, for five minutes, in this session.',
        body: EmptyBody,
        response: { 200: RegistrationOffer },
      },
    },
    async (request) => offerRegistration(auth, callerOf(auth, request)),
  )

  app.post(
    '/api/auth/webauthn/register/verify',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'addPasskey',
        problems: [authProblems.webauthn_failed, authProblems.credential_exists, authProblems.passkey_limit_reached],
        tags: ['Account'],
        summary: 'Add a passkey',
        description: 'From then on, sign-in with a password requires a second factor. Ends the other sessions.',
        body: RegistrationBody,
        response: { 201: NewPasskeyBody },
      },
    },
    async (request, reply) => {
      const { passkey, recoveryCodes } = await registerPasskey(auth, callerOf(auth, request), request.body)
      const body = { ...toPasskeyBody(passkey), ...(recoveryCodes === undefined ? {} : { recoveryCodes }) }
      return reply.code(201).send(body)
    },
  )
}

function managementRoutes(app: App, auth: RoutesDeps): void {
  app.get(
    '/api/auth/webauthn/credentials',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'listPasskeys',
        tags: ['Account'],
        summary: "List the caller's passkeys",
        description: 'Returns names and times of use, no key material.',
        querystring: PageQuery,
        response: { 200: pageOf(PasskeyBody) },
      },
    },
    async (request) => {
      const { userId } = principalOf(request)
      const passkeys = await listPasskeys(auth.db, userId, request.query, readCursor(request.query))
      return toPage(passkeys, request.query, toPasskeyBody)
    },
  )

  app.patch(
    '/api/auth/webauthn/credentials/:credentialId',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'renamePasskey',
        problems: [authProblems.credential_not_found],
        tags: ['Account'],
        summary: 'Rename a passkey',
        description: 'The name is for the list of passkeys. Authenticators do not show it.',
        params: PasskeyParams,
        body: PasskeyChange,
        response: { 200: PasskeyBody },
      },
    },
    async (request) => {
      const { credentialId: id } = request.params
      const { userId } = principalOf(request)
      const passkey = isId('credential', id)
        ? await renamePasskey(auth.db, { id, userId }, request.body.name)
        : undefined
      if (passkey === undefined) throw authProblems.credential_not_found()
      return toPasskeyBody(passkey)
    },
  )

  app.delete(
    '/api/auth/webauthn/credentials/:credentialId',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'removePasskey',
        problems: [authProblems.last_way_in],
        tags: ['Account'],
        summary: 'Remove a passkey',
        description: 'Ends the other sessions. The last sign-in method of an account cannot be removed.',
        params: PasskeyParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { credentialId } = request.params
      if (!isId('credential', credentialId)) throw authProblems.credential_not_found()
      await removePasskey(auth, callerOf(auth, request), credentialId)
      return reply.code(204).send(null)
    },
  )
}

function signInRoutes(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/webauthn/login',
    {
      onRequest: anonymousRoute,
      config: { countedAs: 'signIn', worksWhenDiskIsFull: 'to_quarter' },
      schema: {
        operationId: 'offerPasskeySignIn',
        tags: ['Sign-in'],
        summary: 'Get the options for a passkey sign-in',
        description:
          'The options are the same for all accounts: the authenticator identifies the account. They work once, for five minutes.',
        body: EmptyBody,
        response: { 200: AssertionOffer },
      },
    },
    async () => offerSignIn(auth),
  )

  app.post(
    '/api/auth/webauthn/login/verify',
    {
      onRequest: anonymousRoute,
      config: { countedAs: 'signIn', worksWhenDiskIsFull: 'to_quarter' },
      schema: {
        operationId: 'signInWithPasskey',
        problems: [
          ...COOKIE_PROBLEMS,
          authProblems.invalid_credentials,
          authProblems.email_not_verified,
          authProblems.login_blocked,
        ],
        tags: ['Sign-in'],
        summary: 'Sign in with a passkey',
        description: 'A passkey verifies the user, so no second factor is required.',
        body: AssertionBody,
        querystring: SessionQuery,
        response: { 200: SignInBody },
      },
    },
    async (request, reply) =>
      presentSignIn(auth, reply, await signInWithPasskey(auth, clientOf(auth, request), request.body)),
  )
}
