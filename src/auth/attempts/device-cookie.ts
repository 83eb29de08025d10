import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../platform/clock.ts'
import { readCookie } from '../../platform/http/cookie.ts'
import type { User } from '../accounts/store.ts'

const MAX_AGE_SECONDS = 365 * 24 * 3600

/** What a cookie is bound to. */
type Account = Pick<User, 'id' | 'devicesSince'>

/**
 * Recognises a client that signed in to an account before, after "Slow Down Online Guessing Attacks with Device Cookies"
 * (OWASP). The cookie proves nothing but that, so it is no credential; it is signed, bound to one account, and ends when
 * the password is set anew: whoever was in before may have been the reason.
 */
export interface DeviceCookies {
  /** Whether the request carries such a cookie at all, for whichever account. */
  isPresent(request: FastifyRequest): boolean
  /** The id of the device, if the request carries a cookie of ours for this account. */
  read(request: FastifyRequest, account: Account): string | undefined
  /** A `Set-Cookie` value that makes this client a known device of the account. */
  make(account: Pick<User, 'id'>): string
}

export function createDeviceCookies(key: Buffer, { secure, clock }: { secure: boolean; clock: Clock }): DeviceCookies {
  const name = secure ? '__Host-platen_device' : 'platen_device'
  const sign = (deviceId: string, madeAt: string, userId: string): Buffer =>
    createHmac('sha256', key).update(`${deviceId} ${madeAt} ${userId}`).digest()
  return {
    isPresent: (request) => readCookie(request.headers.cookie, name) !== undefined,
    read: (request, { id, devicesSince }) => {
      const [deviceId = '', madeAt = '', signature = ''] = (readCookie(request.headers.cookie, name) ?? '').split('.')
      const given = Buffer.from(signature, 'base64url')
      const expected = sign(deviceId, madeAt, id)
      const isOurs = given.length === expected.length && timingSafeEqual(given, expected)
      return isOurs && Number(madeAt) >= (devicesSince?.getTime() ?? 0) ? deviceId : undefined
    },
    make: ({ id }) => {
      const deviceId = randomBytes(16).toString('base64url')
      const madeAt = String(clock.now().getTime())
      const value = `${deviceId}.${madeAt}.${sign(deviceId, madeAt, id).toString('base64url')}`
      const flags = `Path=/; Max-Age=${MAX_AGE_SECONDS}; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}`
      return `${name}=${value}; ${flags}`
    },
  }
}
