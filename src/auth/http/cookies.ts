import type { Config } from '../../config/index.ts'
import { readCookie } from '../../platform/http/core/cookie.ts'

export interface CookieSettings {
  config: Pick<Config, 'origin'>
}

interface Cookie {
  name: string
  value: string
  maxAgeSeconds: number
  sameSite: 'Strict' | 'Lax'
}

const DEVICE_COOKIE = 'platen_device'
const DEVICE_SECONDS = 365 * 24 * 3600

/** Reads a cookie that `setCookie` has set. */
export function cookieOf(settings: CookieSettings, header: string | undefined, name: string): string | undefined {
  return readCookie(header, fullName(settings, name))
}

/** Makes a `Set-Cookie` value for the whole host, which scripts cannot read. */
export function setCookie(settings: CookieSettings, { name, value, maxAgeSeconds, sameSite }: Cookie): string {
  const flags = `Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${isSecure(settings) ? '; Secure' : ''}`
  return `${fullName(settings, name)}=${value}; ${flags}`
}

export function deviceCookieOf(settings: CookieSettings, header: string | undefined): string | undefined {
  return cookieOf(settings, header, DEVICE_COOKIE)
}

export function setDeviceCookie(settings: CookieSettings, value: string): string {
  return setCookie(settings, { name: DEVICE_COOKIE, value, maxAgeSeconds: DEVICE_SECONDS, sameSite: 'Strict' })
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
