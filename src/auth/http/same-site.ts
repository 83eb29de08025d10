import type { Config } from '../../config/index.ts'
import { createOrigins } from '../../platform/http/core/origins.ts'
import type { App } from '../../platform/http/server.ts'
import { authProblems } from '../problems.ts'

/** Routes that issue or revoke tokens. */
export const TOKEN_ROUTES =
  /\/api\/auth\/(login|refresh|logout|token|guest|step-up|mfa\/verify|webauthn\/login\/verify)$/

/**
 * Routes that recognize a device, or the browser that begins a flow, by a cookie. Pages of other origins may send
 * cookies to these routes only.
 */
export const COOKIE_PATHS =
  /^(?:\/v1)?\/api\/auth\/(?:login|token|step-up|password\/(?:change|reset)|mfa\/verify|webauthn\/login\/verify|identities\/[^/]+\/(?:link|step-up))$/

/**
 * Prevents pages of other sites from signing their visitors in or out (login CSRF). A browser sends the site of the
 * page in `Origin`. Admitted are the service's own pages and the sites of `PLATEN_CORS_ORIGINS` and `PLATEN_REDIRECT_URIS`. Programs other than
 * browsers send no `Origin`.
 */
export function refuseForeignSites(scope: App, { origin, pageOrigins }: Pick<Config, 'origin' | 'pageOrigins'>): void {
  const admitted = createOrigins([origin, ...pageOrigins])
  scope.addHook('onRequest', async (request) => {
    const from = request.headers.origin
    if (from === undefined || request.method !== 'POST' || !TOKEN_ROUTES.test(request.routeOptions.url ?? '')) return
    if (!admitted.has(from) && !isSameOrigin(from, request)) throw authProblems.foreign_origin()
  })
}

/**
 * Returns whether the page has the host that the request names. The service may be reachable under several host names.
 */
function isSameOrigin(
  from: string,
  { headers, protocol }: { headers: { host?: string | undefined }; protocol: string },
): boolean {
  return headers.host !== undefined && from === `${protocol}://${headers.host}`
}
