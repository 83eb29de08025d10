import { type CookieSettings, cookieOf, setCookie } from '../http/cookies.ts'

/**
 * The cookie that ties one flow to the browser that began it. Each flow has a cookie of its own, named after its state:
 * several tabs do not disturb each other, and a cookie planted earlier is never accepted.
 * `SameSite=Lax`: the provider's redirect is a navigation from another site, which `Strict` would leave it out of.
 *
 * @param stateHash hexadecimal
 */
export function makeBrowserCookie(settings: CookieSettings, stateHash: string, value: string, maxAge: number): string {
  return setCookie(settings, { name: nameOf(stateHash), value, maxAgeSeconds: maxAge, sameSite: 'Lax' })
}

export function forgetBrowserCookie(settings: CookieSettings, stateHash: string): string {
  return makeBrowserCookie(settings, stateHash, '', 0)
}

/** @param header the `Cookie` header of the request */
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
