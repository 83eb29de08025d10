import { createHash } from 'node:crypto'
import type { Config } from '../../config/index.ts'
import { addressKey } from '../../platform/http/core/client-address.ts'
import type { Bucket } from './store.ts'

export type LoginRules = Config['login']

/** Counts attempts of all clients without a known device for this email address, with or without an account. */
export function accountBucket(email: string, { attempts }: LoginRules): Bucket {
  return { name: accountBucketName(email), capacity: attempts }
}

/** Counts attempts of one known device of an account, which other clients cannot use up. */
export function deviceBucket(deviceId: string, email: string, { attempts }: LoginRules): Bucket {
  return { name: `${accountBucketName(email)}:device:${deviceId}`, capacity: attempts }
}

/** Counts attempts of one IP address (IPv6: one /64), over all accounts. */
export function ipBucket(ip: string, { attemptsPerIp }: LoginRules): Bucket {
  return { name: `address:${addressKey(ip)}`, capacity: attemptsPerIp, keepsFailures: true }
}

/**
 * Wrong codes within a day that block. Four a minute never block, but are thousands in a day. Three of a million codes
 * are valid at a time, so fifty attempts succeed with a chance of 1 in 6,700.
 */
const CODES_PER_DAY = 50

/** Counts one-time codes and recovery codes of one account, over all routes and challenges. */
export function codeBucket(userId: string, { attempts }: LoginRules): Bucket {
  return { name: `code:${userId}`, capacity: attempts, capacityPerDay: CODES_PER_DAY }
}

/** Counts one-time codes from a known device of an account, which an attacker with the password cannot use up. */
export function codeDeviceBucket(deviceId: string, userId: string, { attempts }: LoginRules): Bucket {
  return { name: `code:${userId}:device:${deviceId}`, capacity: attempts, capacityPerDay: CODES_PER_DAY }
}

/** Counts one-time codes from one IP address, over all accounts, apart from passwords. */
export function codeIpBucket(ip: string, { attemptsPerIp }: LoginRules): Bucket {
  return { name: `code-address:${addressKey(ip)}`, capacity: attemptsPerIp, keepsFailures: true }
}

/** More than a person sends at once, and few enough to leave room in the queues for other accounts. */
const CONFIRMATIONS_WAITING = 10

/** Counts password confirmations apart from sign-ins, because attempts to sign in must not block the owner here. */
export function confirmationBucket(userId: string, { attempts }: LoginRules): Bucket {
  return { name: `confirmation:${userId}`, capacity: attempts, maxWaiting: CONFIRMATIONS_WAITING }
}

/** Returns the name of the account's bucket. The names of its devices' buckets begin with it. */
export function accountBucketName(email: string): string {
  return `account:${createHash('sha256').update(email).digest('hex')}`
}
