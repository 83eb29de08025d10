import type { Config } from '../../config.ts'

const MAX_AGE_SECONDS = 365 * 24 * 3600

/** The prefix makes browsers accept the cookie over HTTPS from this host only: a neighbouring host cannot plant one. */
export function deviceCookieName({ origin }: Pick<Config, 'origin'>): string {
  return origin.startsWith('https:') ? '__Host-platen_device' : 'platen_device'
}

/** The `Set-Cookie` value that stores a device cookie. */
export function setDeviceCookie({ config }: { config: Pick<Config, 'origin'> }, value: string): string {
  const secure = config.origin.startsWith('https:') ? '; Secure' : ''
  return `${deviceCookieName(config)}=${value}; Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict${secure}`
}
