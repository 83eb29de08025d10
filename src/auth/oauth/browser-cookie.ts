import { type CookieSettings, cookieOf, setCookie } from '../http/cookies.ts'

/**
 * Makes the cookie that ties one flow to the browser that began it. The name of the cookie contains the hash of the
 * flow's state, so that flows in several tabs do not interfere, and a cookie that another site set before does not
 * match. The cookie is `SameSite=Lax`, because with `Strict` the browser would not send it on the redirect from the
 * provider.
 *
 * @param stateHash hexadecimal
 */
export function makeBrowserCookie(settings: CookieSettings, stateHash: string, value: string, maxAge: number): string {
  return setCookie(settings, { name: nameOf(stateHash), value, maxAgeSeconds: maxAge, sameSite: 'Lax' })
}

export function forgetBrowserCookie(settings: CookieSettings, stateHash: string): string {
  return makeBrowserCookie(settings, stateHash, '', 0)
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
