import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Client } from '../caller.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import type { User } from '../users/store.ts'

/** What a device cookie is valid for: an account, and its devices since a timestamp. */
type Account = Pick<User, 'id' | 'devicesSince'>

/**
 * Recognizes clients that signed in to an account before, as the OWASP page "Slow Down Online Guessing Attacks with
 * Device Cookies" describes. The cookie is not a credential. It is signed, is valid for one account, and becomes
 * invalid when the password changes, because an attacker may have signed in with the old password.
 */
export interface DeviceCookies {
  /**
   * Returns the id of the device if the client sent a cookie that is valid for this account, and has signed in. Not the
   * device of `makeForReset`.
   */
  read(client: Client, account: Account): string | undefined
  /** Like `read`, but also returns the device of `makeForReset`. Only for counting attempts to send the password. */
  readForPassword(client: Client, account: Account): string | undefined
  /** Makes the value of a cookie. It makes the client a known device of the account. */
  make(account: Pick<User, 'id'>): string
  /**
   * Makes the value of a cookie for a client that has set a new password with a mailed token. The password of its next
   * sign-in must not wait for a block that others cause. It is no known device: its codes count with those of strangers,
   * and its sign-in is mailed to the owner, because the mailbox may be in wrong hands.
   */
  makeForReset(account: Pick<User, 'id'>): string
}

const PURPOSE = 'platen device cookies 1'

/** Differs from all random ids by its length. */
const RESET_DEVICE = 'reset'

export function createDeviceCookies({ keys, clock }: { keys: KeyDerivation; clock: Clock }): DeviceCookies {
  const sign = (key: Buffer, deviceId: string, madeAt: string, userId: string): Buffer =>
    createHmac('sha256', key).update(`${deviceId} ${madeAt} ${userId}`).digest()
  const make = ({ id }: Pick<User, 'id'>, deviceId: string): string => {
    const madeAt = String(clock.now().getTime())
    return `${deviceId}.${madeAt}.${sign(keys.derive(PURPOSE), deviceId, madeAt, id).toString('base64url')}`
  }
  const readAny = ({ deviceCookie = '' }: Client, { id, devicesSince }: Account): string | undefined => {
    const [deviceId = '', madeAt = '', signature = ''] = deviceCookie.split('.')
    const given = Buffer.from(signature, 'base64url')
    const isOurs = keys.deriveAll(PURPOSE).some((key) => {
      const expected = sign(key, deviceId, madeAt, id)
      return given.length === expected.length && timingSafeEqual(given, expected)
    })
    return isOurs && Number(madeAt) >= (devicesSince?.getTime() ?? 0) ? deviceId : undefined
  }
  return {
    read: (client, account) => {
      const deviceId = readAny(client, account)
      return deviceId === RESET_DEVICE ? undefined : deviceId
    },
    readForPassword: readAny,
    make: (account) => make(account, randomBytes(16).toString('base64url')),
    makeForReset: (account) => make(account, RESET_DEVICE),
  }
}
