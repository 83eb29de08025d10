import type { HttpRequest } from '../../platform/http/core/request.ts'
import { type CookieSettings, cookieOf, isFromOtherSite, setCookie } from '../http/cookies.ts'

/** What the cookie of a flow is made of. */
export interface FlowCookie {
  /** Hexadecimal. */
  stateHash: string
  /** The secret that ties the flow to the browser. */
  value: string
  maxAgeSeconds: number
}

/** The request of a script, which gets the response only if the origin of its page is listed. Not for navigations. */
type ScriptRequest = Pick<HttpRequest, 'headers'>

/**
 * Makes the cookie that ties one flow to the browser that began it. The name of the cookie contains the hash of the
 * flow's state, so that flows in several tabs do not interfere, and a cookie that another site set before does not
 * match. The cookie is `SameSite=Lax`, because with `Strict` the browser would not send it on the redirect from the
 * provider. For a flow that a script of another site begins, it is `None`. It is not partitioned, because the redirect
 * leads to a page of this service, with cookies of its own.
 *
 * @param request undefined if pages of any site can send the request
 */
export function makeBrowserCookie(
  settings: CookieSettings,
  request: ScriptRequest | undefined,
  { stateHash, value, maxAgeSeconds }: FlowCookie,
): string {
  const sameSite = request !== undefined && isFromOtherSite(settings, request) ? 'None' : 'Lax'
  return setCookie(settings, { name: nameOf(stateHash), value, maxAgeSeconds, sameSite })
}

export function forgetBrowserCookie(settings: CookieSettings, stateHash: string): string {
  return setCookie(settings, { name: nameOf(stateHash), value: '', maxAgeSeconds: 0, sameSite: 'Lax' })
}

/**
 * Reads the cookie of a flow.
 *
 * @param header the `Cookie` header of the request
 */
export function readBrowserCookie(
  settings: CookieSettings,
  header: string | undefined,
  stateHash: string,
): string | undefined {
  return cookieOf(settings, header, nameOf(stateHash))
}

function nameOf(stateHash: string): string {
  return `platen_oauth_${stateHash.slice(0, 16)}`
}
