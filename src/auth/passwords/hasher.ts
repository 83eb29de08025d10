import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { createFairSemaphore } from '../../platform/concurrency/semaphore.ts'
import { networkOf } from '../../platform/networks.ts'
import { isId } from '../ids.ts'
import { SIGN_INS_WAITING } from '../problems.ts'
import { type Argon2Cost, argon2idHash, costText, deriveArgon2id, toPhc } from './hashes/argon2id.ts'
import type { StoredHash } from './hashes/hash-format.ts'
import { readStoredHash } from './hashes/stored-hash.ts'

const DEFAULT_COST: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/**
 * Maximum number of hashes that are computed at a time. Node's thread pool has four threads. One of them remains for
 * files and signatures, so that reads continue while many users sign in.
 */
const MAX_PARALLEL = 3

const KNOWN_DEVICE = 'known device of '

/**
 * The owner of work for a client that has signed in to this account before. Like that of users with a session, it comes
 * before the work of other clients, so that a flood of sign-ins from many IP addresses does not keep customers out.
 */
export function knownDeviceOf(email: string): string {
  return `${KNOWN_DEVICE}${email}`
}

export interface PasswordHasher {
  /**
   * Returns the hash of a password as a PHC string: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`.
   *
   * @param owner account, key of an IP address, or `knownDeviceOf` an account that the work is for; waiting work of several
   * owners is served in turn
   * @throws `sign_in_busy` if too many passwords are already waiting
   */
  hash(password: string, owner?: string): Promise<string>
  /**
   * Compares a password with a stored hash. If there is no stored hash because the account does not exist, it takes the
   * same time and the result is false. `isOutdated` means that the hash has another cost or scheme than new hashes, so
   * that it must be replaced. A password is compared as a whole and without Unicode normalization.
   *
   * @throws `sign_in_busy` if too many passwords are already waiting
   */
  verify(
    stored: string | null | undefined,
    password: string,
    owner?: string,
  ): Promise<{ matches: boolean; isOutdated: boolean }>
  /**
   * Returns whether a stored hash has the scheme and the cost of new hashes. Verifying such a hash takes the same time
   * as verifying a password of an unknown account.
   */
  isOwn(stored: string | null): stored is string
}

/**
 * Creates a hasher. It computes hashes outside of the event loop, several at a time on the available cores.
 *
 * @param processes how many processes of this computer hash passwords at the same time
 */
export function createPasswordHasher(cost: Argon2Cost = DEFAULT_COST, processes = 1): PasswordHasher {
  const parallel = Math.max(1, Math.floor((availableParallelism() + 1) / processes))
  const semaphore = createFairSemaphore(Math.min(parallel, MAX_PARALLEL), {
    waiting: SIGN_INS_WAITING,
    groupOf: (owner) => owner && networkOf(owner),
    isPreferred: (owner) => owner !== undefined && (owner.startsWith(KNOWN_DEVICE) || isId('user', owner)),
  })
  const unknownUser = argon2idHash({ cost, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) })
  const isPresent = (hash: StoredHash): boolean => hash.scheme === 'argon2id' && hash.cost === costText(cost)
  return {
    hash: async (password, owner) => {
      const salt = randomBytes(SALT_BYTES)
      return toPhc({
        cost,
        salt,
        tag: await semaphore.run(owner, () => deriveArgon2id(password, salt, cost, TAG_BYTES)),
      })
    },
    verify: async (stored, password, owner) => {
      const known = typeof stored === 'string' ? readStoredHash(stored) : undefined
      const matches =
        (await semaphore.run(owner, () => (known ?? unknownUser).matches(password))) && known !== undefined
      return { matches, isOutdated: matches && !isPresent(known) }
    },
    isOwn: (stored): stored is string => stored !== null && isPresent(readStoredHash(stored)),
  }
}
