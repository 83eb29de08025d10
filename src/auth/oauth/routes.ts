import type { Config } from '../../config/index.ts'
import { anonymousRoute } from '../../platform/http/core/guard.ts'
import type { App } from '../../platform/http/server.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import { requireSession, requireStepUp, sessionOf } from '../http/guards.ts'
import { SessionQuery } from '../http/session-cookie.ts'
import { authProblems, COOKIE_PROBLEMS, codeProblems } from '../problems.ts'
import { NoContent } from '../schemas.ts'
import { SignInBody } from '../sessions/schemas.ts'
import { type PresentDeps, presentSignIn } from '../sign-in/present-sign-in.ts'
import { forgetBrowserCookie, makeBrowserCookie } from './browser-cookie.ts'
import { type FinishDeps, finishFlow } from './finish.ts'
import { beginFlow, requireProvider, resumeFlow } from './flow.ts'
import { beginLink, unlink } from './identities.ts'
import { isKnownProvider } from './open-providers.ts'
import { PROVIDER_PROBLEMS, providerProblems } from './problems.ts'
import { PRESET_NAMES, PRESET_SETTINGS } from './provider-settings.ts'
import { PROVIDER_NAME } from './providers/oidc/settings.ts'
import { redeemCode } from './redeem-code.ts'
import {
  AuthorizationBody,
  CallbackQuery,
  callbackBody,
  IdentityList,
  LinkRequestBody,
  ProviderParams,
  RedeemBody,
  Redirection,
  StartQuery,
  StepUpRequestBody,
  toIdentityBody,
} from './schemas.ts'
import { beginStepUp } from './step-up.ts'
import { listIdentities } from './store.ts'

type RoutesDeps = FinishDeps & PresentDeps & { config: Pick<Config, 'oidcProviders'> }

export function oauthRoutes(app: App, auth: RoutesDeps): void {
  // One list for all, because a schema of the OpenAPI document has one definition.
  const named = [...PRESET_NAMES, ...auth.config.oidcProviders.map(({ name }) => name)]
  const presets = PRESET_NAMES.map((name) => {
    const { title } = PRESET_SETTINGS[name]
    return { name, title, idSuffix: title, named }
  })
  // Ids of operations contain no hyphens. Names of providers contain no underscores, so two names never result in the
  // same id.
  const others = auth.config.oidcProviders.map(({ name, title }) => {
    return { name, title, idSuffix: `_${name.replaceAll('-', '_')}`, named }
  })
  for (const described of [...presets, ...others]) {
    startRoute(app, auth, described)
    callbackRoute(app, auth, described)
  }
  otherNamesRoutes(app)
  tokenRoute(app, auth)
  identityRoutes(app, auth)
}

/** A provider as the OpenAPI document describes it. */
interface Described {
  name: string
  title: string
  /** End of the ids of the provider's operations, which makes them unique. */
  idSuffix: string
  /** Names that the response schemas allow for `provider`. */
  named: readonly string[]
}

function startRoute(app: App, auth: RoutesDeps, { name, title, idSuffix }: Described): void {
  app.get(
    `/api/auth/${name}`,
    {
      onRequest: anonymousRoute,
      exposeHeadRoute: false,
      // A flow adds a row.
      config: { countedAs: 'signIn', addsRecords: true, worksWhenDiskIsFull: 'to_quarter' },
      schema: {
        operationId: `signInWith${idSuffix}`,
        problems: [...PROVIDER_PROBLEMS, authProblems.redirect_uri_not_allowed],
        tags: ['Sign-in'],
        summary: `Sign in with ${title}`,
        description: `For a browser: redirects to ${title}, which redirects to the callback.`,
        querystring: StartQuery,
        response: { 302: Redirection },
      },
    },
    async (request, reply) => {
      const { authorizationUrl, cookie } = await beginFlow(auth, name, request.query)
      return reply.header('Set-Cookie', makeBrowserCookie(auth, undefined, cookie)).redirect(authorizationUrl)
    },
  )
}

function callbackRoute(app: App, auth: RoutesDeps, { name, title, idSuffix, named }: Described): void {
  app.get(
    `/api/auth/${name}/callback`,
    {
      onRequest: anonymousRoute,
      // Without this, a HEAD request, as sent for link previews, would consume the flow.
      exposeHeadRoute: false,
      schema: {
        operationId: `finish${idSuffix}`,
        problems: [
          ...PROVIDER_PROBLEMS,
          authProblems.invalid_state,
          authProblems.access_denied,
          authProblems.provider_answer_invalid,
          authProblems.provider_email_unverified,
          authProblems.account_exists,
          authProblems.identity_taken,
          authProblems.identity_not_found,
          authProblems.provider_already_linked,
          codeProblems.invalid_code,
          authProblems.invalid_credentials,
        ],
        tags: ['Sign-in'],
        summary: `Complete a sign-in with ${title}`,
        description:
          'If the sign-in started with a `redirectUri`, redirects there with a one-time `code` for `POST /api/auth/token`, or ' +
          'with the code of a problem as `error`. Otherwise returns the tokens or the problem.',
        querystring: CallbackQuery,
        response: { 200: callbackBody(named), 302: Redirection },
      },
    },
    async (request, reply) => {
      requireProvider(auth, name)
      const flow = await resumeFlow(auth, {
        provider: name,
        state: request.query.state,
        cookies: request.headers.cookie,
      })
      reply.header('Set-Cookie', forgetBrowserCookie(auth, flow.stateHash))
      const finished = await finishFlow(auth, clientOf(auth, request), flow, queryOf(request.url))
      if (finished.status === 'redirect') return reply.redirect(finished.location)
      if (finished.status === 'linked' || finished.status === 'stepped_up') return finished
      return presentSignIn(auth, reply, finished)
    },
  )
}

/**
 * Adds routes for all other names, which return `provider_not_configured`. The pattern excludes the paths of other
 * routes.
 */
function otherNamesRoutes(app: App): void {
  const path = `/api/auth/:provider(^${PROVIDER_NAME}$)`
  for (const url of [path, `${path}/callback`]) {
    app.get(url, { onRequest: anonymousRoute, exposeHeadRoute: false, schema: { hide: true } }, async () => {
      throw providerProblems.provider_not_configured()
    })
  }
}

function tokenRoute(app: App, auth: RoutesDeps): void {
  app.post(
    '/api/auth/token',
    {
      onRequest: anonymousRoute,
      config: { countedAs: 'signIn', worksWhenDiskIsFull: 'to_quarter' },
      schema: {
        operationId: 'redeemCode',
        problems: [...COOKIE_PROBLEMS, authProblems.invalid_grant, authProblems.invalid_credentials],
        tags: ['Sign-in'],
        summary: 'Redeem the authorization code of a provider sign-in',
        description: 'A code can be redeemed once, within 60 seconds.',
        body: RedeemBody,
        querystring: SessionQuery,
        response: { 200: SignInBody },
      },
    },
    async (request, reply) => presentSignIn(auth, reply, await redeemCode(auth, clientOf(auth, request), request.body)),
  )
}

function identityRoutes(app: App, auth: RoutesDeps): void {
  app.get(
    '/api/auth/identities',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'listIdentities',
        tags: ['Account'],
        summary: 'List the linked providers',
        description: 'Returns the accounts at providers, such as Google, with which the caller can sign in.',
        response: { 200: IdentityList },
      },
    },
    async (request) => {
      const identities = await listIdentities(auth.db, sessionOf(request).userId)
      return { data: identities.map(toIdentityBody), nextCursor: null }
    },
  )

  app.post(
    '/api/auth/identities/:provider/link',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'linkIdentity',
        problems: [...PROVIDER_PROBLEMS, authProblems.provider_already_linked, authProblems.redirect_uri_not_allowed],
        tags: ['Account'],
        summary: 'Link a provider to the account',
        description:
          'Open `authorizationUrl` in the same browser: the callback accepts only the browser with the cookie of this response. After the callback, all other sessions end and the owner gets a mail.',
        params: ProviderParams,
        body: LinkRequestBody,
        response: { 200: AuthorizationBody },
      },
    },
    async (request, reply) => {
      const { provider } = request.params
      if (!isKnownProvider(auth.providers, provider)) throw providerProblems.provider_not_configured()
      const { authorizationUrl, cookie } = await beginLink(auth, callerOf(auth, request), provider, request.body ?? {})
      reply.header('Set-Cookie', makeBrowserCookie(auth, request, cookie))
      return { authorizationUrl }
    },
  )

  app.post(
    '/api/auth/identities/:provider/step-up',
    {
      onRequest: requireSession(),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'stepUpWithIdentity',
        problems: [
          ...PROVIDER_PROBLEMS,
          authProblems.identity_not_found,
          authProblems.redirect_uri_not_allowed,
          codeProblems.invalid_code,
        ],
        tags: ['Sign-in'],
        summary: 'Authenticate again at a linked provider',
        description:
          'For accounts without a second factor. The callback returns `{ "status": "stepped_up" }`. After that, `POST /api/auth/refresh` returns an access token with the step-up.',
        params: ProviderParams,
        body: StepUpRequestBody,
        response: { 200: AuthorizationBody },
      },
    },
    async (request, reply) => {
      const { provider } = request.params
      if (!isKnownProvider(auth.providers, provider)) throw providerProblems.provider_not_configured()
      const { authorizationUrl, cookie } = await beginStepUp(
        auth,
        callerOf(auth, request),
        provider,
        request.body ?? {},
      )
      reply.header('Set-Cookie', makeBrowserCookie(auth, request, cookie))
      return { authorizationUrl }
    },
  )

  app.delete(
    '/api/auth/identities/:provider',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'unlinkIdentity',
        problems: [authProblems.last_way_in, authProblems.identity_not_found],
        tags: ['Account'],
        summary: 'Unlink a provider from the account',
        description:
          'All other sessions end and the owner gets a mail. The last sign-in method of an account cannot be removed: 409 `last_way_in`.',
        params: ProviderParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await unlink(auth, callerOf(auth, request), request.params.provider)
      return reply.code(204).send(null)
    },
  )
}

function queryOf(url: string): string {
  const start = url.indexOf('?')
  return start < 0 ? '' : url.slice(start)
}
