import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { createFairSemaphore } from '../../platform/concurrency/semaphore.ts'
import { SIGN_INS_WAITING } from '../problems.ts'
import { type Argon2Cost, argon2idHash, costText, deriveArgon2id, toPhc } from './hashes/argon2id.ts'
import type { StoredHash } from './hashes/hash-format.ts'
import { readStoredHash } from './hashes/stored-hash.ts'

const DEFAULT_COST: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Node's thread pool has four threads. One stays free for files and signatures, so that reads go on during a rush. */
const MAX_PARALLEL = 3

export interface PasswordHasher {
  /**
   * Returns the hash in PHC string format: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`.
   *
   * @param owner account, email address or IP address of the request; owners with waiting work are served in turn
   */
  hash(password: string, owner?: string): Promise<string>
  /**
   * Compares a password with a stored hash. Without a hash (no such account), the result is false at the usual cost.
   * `isOutdated`: the hash has another cost or scheme and must be replaced. Passwords are compared as they are: whole
   * and without Unicode normalization.
   *
   * @throws `sign_in_busy` if too many are already waiting
   */
  verify(
    stored: string | null | undefined,
    password: string,
    owner?: string,
  ): Promise<{ matches: boolean; isOutdated: boolean }>
  /**
   * Returns whether a stored hash has the current scheme and cost, so that it takes the same time as for an unknown
   * account.
   */
  isOwn(stored: string | null): stored is string
}

/** Hashes passwords off the event loop, in parallel on the available cores. */
export function createPasswordHasher(cost: Argon2Cost = DEFAULT_COST): PasswordHasher {
  const semaphore = createFairSemaphore(Math.min(availableParallelism() + 1, MAX_PARALLEL), SIGN_INS_WAITING)
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
