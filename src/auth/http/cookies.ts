import type { Config } from '../../config/index.ts'
import { readCookie } from '../../platform/http/core/cookie.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'

export interface CookieSettings {
  config: Pick<Config, 'origin'>
}

interface Cookie {
  name: string
  value: string
  maxAgeSeconds: number
  sameSite: 'Strict' | 'Lax' | 'None'
  /** Whether the browser keeps one cookie for each site whose pages call the service (`Partitioned`). */
  isPartitioned?: boolean
}

const DEVICE_COOKIE = 'platen_device'
const DEVICE_SECONDS = 365 * 24 * 3600

/** Reads a cookie that `setCookie` has set. */
export function cookieOf(settings: CookieSettings, header: string | undefined, name: string): string | undefined {
  return readCookie(header, fullName(settings, name))
}

/** Makes a `Set-Cookie` value for the whole host, which scripts cannot read. */
export function setCookie(settings: CookieSettings, cookie: Cookie): string {
  const { name, value, maxAgeSeconds, sameSite, isPartitioned = false } = cookie
  const flags = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}`
  const more = `${isSecure(settings) ? '; Secure' : ''}${isPartitioned ? '; Partitioned' : ''}`
  return `${fullName(settings, name)}=${value}; ${flags}${more}`
}

/**
 * Returns whether a script on a page of another site sent the request. Browsers keep cookies of its response only with
 * `SameSite=None`, which needs HTTPS. Navigations from other sites are excluded.
 */
export function isFromOtherSite(settings: CookieSettings, { headers }: Pick<HttpRequest, 'headers'>): boolean {
  return isSecure(settings) && headers['sec-fetch-site'] === 'cross-site' && headers['sec-fetch-mode'] === 'cors'
}

export function deviceCookieOf(settings: CookieSettings, header: string | undefined): string | undefined {
  return cookieOf(settings, header, DEVICE_COOKIE)
}

/**
 * Makes the cookie that recognizes a device. Pages of other sites get one that is partitioned, because many browsers
 * block other cookies there. Only the site that got it sends it.
 */
export function setDeviceCookie(
  settings: CookieSettings,
  request: Pick<HttpRequest, 'headers'>,
  value: string,
): string {
  const cookie = { name: DEVICE_COOKIE, value, maxAgeSeconds: DEVICE_SECONDS }
  const site = isFromOtherSite(settings, request)
    ? ({ sameSite: 'None', isPartitioned: true } as const)
    : ({ sameSite: 'Strict' } as const)
  return setCookie(settings, { ...cookie, ...site })
}

/**
 * Adds the prefix `__Host-` over HTTPS. Browsers accept a cookie with this prefix only from this host over HTTPS, so
 * other hosts cannot set one.
 */
function fullName(settings: CookieSettings, name: string): string {
  return isSecure(settings) ? `__Host-${name}` : name
}

function isSecure({ config: { origin } }: CookieSettings): boolean {
  return origin.startsWith('https:')
}
