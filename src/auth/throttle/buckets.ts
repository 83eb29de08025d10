import { createHash } from 'node:crypto'
import type { Config } from '../../config/index.ts'
import { addressKey } from '../../platform/http/core/client-address.ts'
import type { Bucket } from './store.ts'

export type LoginRules = Config['login']

/**
 * Counts the attempts for an email address by clients that are not a known device of the account. Email addresses
 * without an account are counted, too.
 */
export function accountBucket(email: string, { attempts }: LoginRules): Bucket {
  return { name: accountBucketName(email), capacity: attempts }
}

/** Counts the attempts of one known device of an account. Other clients cannot use them up. */
export function deviceBucket(deviceId: string, email: string, { attempts }: LoginRules): Bucket {
  return { name: `${accountBucketName(email)}:device:${deviceId}`, capacity: attempts }
}

/** Counts the attempts from one IP address (for IPv6: from one /64 network) at all accounts. */
export function ipBucket(ip: string, { attemptsPerIp }: LoginRules): Bucket {
  return { name: `address:${addressKey(ip)}`, capacity: attemptsPerIp, keepsFailures: true }
}

/**
 * Number of wrong codes within a day that start a block. Four wrong codes a minute do not exceed the limit of the
 * window, but are thousands in a day. At any time, three of a million codes are valid, so fifty attempts succeed with a
 * probability of 1 in 6,700.
 */
const CODES_PER_DAY = 50

/**
 * Counts the one-time codes and recovery codes that clients send for one account, on all routes and for all challenges.
 */
export function codeBucket(userId: string, { attempts }: LoginRules): Bucket {
  return { name: `code:${userId}`, capacity: attempts, capacityPerDay: CODES_PER_DAY }
}

/**
 * Counts the one-time codes from one known device of an account. An attacker who knows the password, but has another
 * device, cannot use them up.
 */
export function codeDeviceBucket(deviceId: string, userId: string, { attempts }: LoginRules): Bucket {
  return { name: `code:${userId}:device:${deviceId}`, capacity: attempts, capacityPerDay: CODES_PER_DAY }
}

/** Counts the one-time codes from one IP address for all accounts. Passwords are counted separately. */
export function codeIpBucket(ip: string, { attemptsPerIp }: LoginRules): Bucket {
  return { name: `code-address:${addressKey(ip)}`, capacity: attemptsPerIp, keepsFailures: true }
}

/**
 * Maximum number of waiting confirmations of one account. It is more than a person sends at once, and leaves room in
 * the queues for other accounts.
 */
const CONFIRMATIONS_WAITING = 10

/**
 * Counts confirmations of the password within a session. Sign-ins are counted separately, so that an attacker who tries
 * to sign in cannot block the owner's confirmations.
 */
export function confirmationBucket(userId: string, { attempts }: LoginRules): Bucket {
  return { name: `confirmation:${userId}`, capacity: attempts, maxWaiting: CONFIRMATIONS_WAITING }
}

/** Returns the name of an account's bucket. The names of the buckets of its devices begin with this name. */
export function accountBucketName(email: string): string {
  return `account:${createHash('sha256').update(email).digest('hex')}`
}
