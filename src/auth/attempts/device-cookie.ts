import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { readCookie } from '../../platform/http/cookie.ts'

const MAX_AGE_SECONDS = 365 * 24 * 3600

/**
 * Recognises a client that signed in to an account before, after "Slow Down Online Guessing Attacks with Device Cookies"
 * (OWASP). The cookie proves nothing but that, so it is no credential; it is bound to one account and signed.
 */
export interface DeviceCookies {
  /** The id of the device, if the request carries a cookie of ours for this account. */
  read(request: FastifyRequest, email: string): string | undefined
  /** A `Set-Cookie` value that makes this client a known device of the account. */
  make(email: string): string
}

export function createDeviceCookies(key: Buffer, { secure }: { secure: boolean }): DeviceCookies {
  const name = secure ? '__Host-platen_device' : 'platen_device'
  const sign = (deviceId: string, email: string): Buffer =>
    createHmac('sha256', key).update(`${deviceId} ${email}`).digest()
  return {
    read: (request, email) => {
      const [deviceId = '', signature = ''] = (readCookie(request.headers.cookie, name) ?? '').split('.')
      const given = Buffer.from(signature, 'base64url')
      const expected = sign(deviceId, email)
      return given.length === expected.length && timingSafeEqual(given, expected) ? deviceId : undefined
    },
    make: (email) => {
      const deviceId = randomBytes(16).toString('base64url')
      const value = `${deviceId}.${sign(deviceId, email).toString('base64url')}`
      const flags = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
      return `${name}=${value}; ${flags}`
    },
  }
}
