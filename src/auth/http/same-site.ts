import type { Config } from '../../config/index.ts'
import type { App } from '../../platform/http/server.ts'
import { authProblems } from '../problems.ts'

/** Routes that issue or revoke tokens. Only they need the check of the origin. */
const TOKEN_ROUTES = /\/api\/auth\/(login|refresh|logout|token|step-up|mfa\/verify|webauthn\/login\/verify)$/

/**
 * Prevents pages of other sites from signing their visitors in or out (login CSRF). A browser sends the origin of the
 * page in `Origin`. The service admits its own pages, the sites of `PLATEN_REDIRECT_URIS`, and requests without
 * `Origin`, which programs other than browsers send.
 */
export function refuseForeignSites(scope: App, { origin, pageOrigins }: Pick<Config, 'origin' | 'pageOrigins'>): void {
  const admitted = new Set([origin, ...pageOrigins])
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
