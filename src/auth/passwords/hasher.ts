import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { authProblems } from '../problems.ts'
import { type Argon2Cost, argon2idHash, costText, deriveArgon2id, toPhc } from './hashes/argon2id.ts'
import type { StoredHash } from './hashes/hash-format.ts'
import { readStoredHash } from './hashes/stored-hash.ts'

const DEFAULT_COST: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Some seconds of work; further requests are refused rather than kept waiting. */
const MAX_WAITING = 200

/** Node's thread pool has four threads; one is left to files and signatures, so that reads go on during a rush. */
const MAX_PARALLEL = 3

export interface PasswordHasher {
  /** Returns the hash in PHC string format: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`. */
  hash(password: string): Promise<string>
  /**
   * Compares a password with a stored hash. Without a hash (no such account) it costs as much as with one of ours, and is
   * wrong. `isOutdated`: it was made at another cost, or by another system, and is to be replaced.
   * Passwords are taken as they are: whole, every character, no Unicode normalisation.
   *
   * @throws `sign_in_busy` when too many are waiting already
   */
  verify(stored: string | null | undefined, password: string): Promise<{ matches: boolean; isOutdated: boolean }>
  /** Whether a stored hash was made as `hash` makes them now, so that it takes the same time as that of an unknown account. */
  isOwn(stored: string | null): stored is string
}

/** Evaluates passwords off the event loop, as many at once as there are cores to run them. */
export function createPasswordHasher(cost: Argon2Cost = DEFAULT_COST): PasswordHasher {
  const queue = createQueue(Math.min(availableParallelism() + 1, MAX_PARALLEL), MAX_WAITING)
  const nobody = argon2idHash({ cost, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) })
  const isPresent = (hash: StoredHash): boolean => hash.scheme === 'argon2id' && hash.cost === costText(cost)
  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES)
      return toPhc({ cost, salt, tag: await queue(() => deriveArgon2id(password, salt, cost, TAG_BYTES)) })
    },
    verify: async (stored, password) => {
      const known = typeof stored === 'string' ? readStoredHash(stored) : undefined
      const matches = (await queue(() => (known ?? nobody).matches(password))) && known !== undefined
      return { matches, isOutdated: matches && !isPresent(known) }
    },
    isOwn: (stored): stored is string => stored !== null && isPresent(readStoredHash(stored)),
  }
}

/** A bounded queue: runs `parallel` at once, lets `maxWaiting` wait in order, and refuses the rest. */
function createQueue(parallel: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < parallel) running += 1
    else {
      if (waiting.length >= maxWaiting) throw authProblems.sign_in_busy({ headers: { 'Retry-After': '2' } })
      // The place of one that ends is handed to the first that waits.
      await new Promise<void>((start) => waiting.push(start))
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) running -= 1
      else next()
    }
  }
}
