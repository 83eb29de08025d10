import { createHash } from 'node:crypto'
import type { Config } from '../../config/index.ts'
import { addressKey } from '../../platform/http/client-address.ts'
import type { Bucket } from './store.ts'

export type LoginRules = Config['login']

/** All clients without a known device that try this email address, whether it has an account or not. */
export function accountBucket(email: string, { attempts }: LoginRules): Bucket {
  return { name: accountBucketName(email), capacity: attempts }
}

/** One device that signed in to this account before: strangers cannot use up its attempts. */
export function deviceBucket(deviceId: string, email: string, { attempts }: LoginRules): Bucket {
  return { name: `${accountBucketName(email)}:device:${deviceId}`, capacity: attempts }
}

/** One IP address (IPv6: one /64), over all accounts. */
export function ipBucket(ip: string, { attemptsPerIp }: LoginRules): Bucket {
  return { name: `address:${addressKey(ip)}`, capacity: attemptsPerIp, isUnforgiving: true }
}

/**
 * Wrong codes of a day that block: four a minute never would, and are thousands in a day. Of a million codes three hold
 * at a time, so that fifty guesses find one with a chance of 1 in 6,700.
 */
const CODES_PER_DAY = 50

/** One-time codes and recovery codes of one account, by whichever way and challenge they are tried. */
export function codeBucket(userId: string, { attempts }: LoginRules): Bucket {
  return { name: `code:${userId}`, capacity: attempts, capacityPerDay: CODES_PER_DAY }
}

/** One-time codes tried by a device that signed in to this account before: a stranger with the password cannot use them up. */
export function codeDeviceBucket(deviceId: string, userId: string, { attempts }: LoginRules): Bucket {
  return { name: `code:${userId}:device:${deviceId}`, capacity: attempts, capacityPerDay: CODES_PER_DAY }
}

/** One-time codes tried from one IP address, over all accounts; apart from passwords, as the codes of an account are. */
export function codeIpBucket(ip: string, { attemptsPerIp }: LoginRules): Bucket {
  return { name: `code-address:${addressKey(ip)}`, capacity: attemptsPerIp, isUnforgiving: true }
}

/** Passwords asked for again inside a session. Apart from sign-in: guessing there must not stop the owner here. */
export function confirmationBucket(userId: string, { attempts }: LoginRules): Bucket {
  return { name: `confirmation:${userId}`, capacity: attempts }
}

/** Name of the account's bucket, with which the names of its devices' buckets begin. */
export function accountBucketName(email: string): string {
  return `account:${createHash('sha256').update(email).digest('hex')}`
}
