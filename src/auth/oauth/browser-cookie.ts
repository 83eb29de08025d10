import type { Config } from '../../config.ts'
import { readCookie } from '../../platform/http/cookie.ts'
export interface CookieSettings {
  config: Pick<Config, 'origin'>
}

/**
 * The cookie that ties one flow to the browser that began it. Each flow has a cookie of its own, named after its state:
 * several tabs do not disturb each other, and a cookie planted earlier is never accepted.
 * `SameSite=Lax`: the provider's redirect is a navigation from another site, which `Strict` would leave it out of.
 *
 * @param stateHash hexadecimal
 */
export function makeBrowserCookie(
  { config }: CookieSettings,
  stateHash: string,
  value: string,
  maxAge: number,
): string {
  const secure = isSecure(config) ? '; Secure' : ''
  return `${nameOf(config, stateHash)}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}

export function forgetBrowserCookie(settings: CookieSettings, stateHash: string): string {
  return makeBrowserCookie(settings, stateHash, '', 0)
}

/** @param header the `Cookie` header of the request */
export function readBrowserCookie(
  { config }: CookieSettings,
  header: string | undefined,
  stateHash: string,
): string | undefined {
  return readCookie(header, nameOf(config, stateHash))
}

/** With the prefix, browsers take it from this very host over HTTPS only: no neighbouring host can plant one. */
function nameOf(config: CookieSettings['config'], stateHash: string): string {
  return `${isSecure(config) ? '__Host-' : ''}platen_oauth_${stateHash.slice(0, 16)}`
}

function isSecure({ origin }: CookieSettings['config']): boolean {
  return origin.startsWith('https:')
}
