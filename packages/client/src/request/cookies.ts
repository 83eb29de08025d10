import type { Operation } from '../operations.ts'

export interface CookieUse {
  /** Whether the refresh token is in a cookie that scripts cannot read. */
  keepsSessionInCookie: boolean
  /** Whether sign-ins from pages of another origin send the cookie that recognizes their browser. */
  sendsDeviceCookie: boolean
}

/** The operations that recognize a device or the browser that began a flow by a cookie. */
const DEVICE_OPERATIONS = [
  'auth.login',
  'auth.redeemCode',
  'auth.stepUp',
  'auth.changePassword',
  'auth.resetPassword',
  'auth.verifySecondFactor',
  'auth.signInWithPasskey',
  'auth.linkIdentity',
  'auth.stepUpWithIdentity',
]

/** Adds what a request needs for cookies. */
export function withCookies(
  use: CookieUse,
  { operation, url, headers }: { operation: Operation; url: string; headers: Headers },
): { url: string; headers: Headers; credentials?: 'include' } {
  const own = new Headers(headers)
  const isDevice = use.sendsDeviceCookie && DEVICE_OPERATIONS.includes(operation.name)
  const cookies = isDevice ? ({ credentials: 'include' } as const) : {}
  if (!use.keepsSessionInCookie || !operation.takesSession) return { url, headers: own, ...cookies }
  own.set('Platen-Session', 'cookie')
  return { url: `${url}?session=cookie`, headers: own, ...cookies }
}
