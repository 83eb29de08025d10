import { randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { ClientGone } from '../../platform/concurrency/client-gone.ts'
import { currentRequest } from '../../platform/concurrency/request-context.ts'
import { createFairSemaphore, networkOfOwner } from '../../platform/concurrency/semaphore.ts'
import { addressKey } from '../../platform/http/core/client-address.ts'
import { inTime, isDone } from '../../platform/http/operations/readiness.ts'
import { networkOf } from '../../platform/networks.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { SIGN_INS_WAITING } from '../problems.ts'
import { type Argon2Cost, costText, readArgon2Parts, toPhc } from './hashes/argon2id.ts'
import type { StoredHash } from './hashes/hash-format.ts'
import { readStoredHash } from './hashes/stored-hash.ts'
import { createHashingThreads } from './threads/hashing-threads.ts'

const DEFAULT_COST: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Maximum number of hashes that are computed at a time. Each needs a thread, and memory at the cost of its hash. */
const MAX_PARALLEL = 3

/** A hash that takes less than a millisecond. */
const CHEAP = { password: '', cost: { memoryKiB: 8, passes: 1, lanes: 1 }, tagBytes: TAG_BYTES }

/** The client for which a password is hashed or compared. Waiting work of several networks is served in turn. */
export interface HashingClient {
  ip: string
  /**
   * Id or email address of the account in which the client has a session, or to which it has signed in before. Such work
   * comes before that of other clients, so that a flood of sign-ins from many IP addresses does not keep customers out.
   */
  account?: string | undefined
}

const OF_ACCOUNT = ' account '

/** A client may have any number of accounts, so those of a network share its turns. */
function ownerOf({ ip, account }: HashingClient): string {
  const key = addressKey(ip)
  return `${networkOf(key)}${account === undefined ? ` ${key}` : `${OF_ACCOUNT}${account}`}`
}

export interface PasswordHasher {
  /**
   * Returns the hash of a password as a PHC string: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`.
   *
   * @throws `sign_in_busy` if too many passwords are already waiting, or if the thread ends or takes too long;
   *   `service_unavailable` if no thread can start
   */
  hash(password: string, client?: HashingClient): Promise<string>
  /**
   * Compares a password with a stored hash. If there is no stored hash because the account does not exist, it takes the
   * same time and the result is false. `isOutdated` means that the hash has another cost or scheme than new hashes, so
   * that it must be replaced. A password is compared as a whole and without Unicode normalization.
   *
   * @throws `sign_in_busy` if too many passwords are already waiting, or if the thread ends or takes too long;
   *   `service_unavailable` if no thread can start
   */
  verify(
    stored: string | null | undefined,
    password: string,
    client?: HashingClient,
  ): Promise<{ matches: boolean; isOutdated: boolean }>
  /**
   * Hashes a password for a new account and compares it with a hash that `isOwn`, by one computation. So both have the
   * same salt. Without such a hash, it takes the same time, and `matches` is false.
   *
   * @throws `sign_in_busy` if too many passwords are already waiting, or if the thread ends or takes too long;
   *   `service_unavailable` if no thread can start
   */
  hashAndCompare(
    own: string | undefined,
    password: string,
    client?: HashingClient,
  ): Promise<{ hash: string; matches: boolean }>
  /**
   * Returns whether a stored hash has the scheme and the cost of new hashes. Verifying such a hash takes the same time
   * as verifying a password of an unknown account.
   */
  isOwn(stored: string | null): stored is string
  /** Whether passwords can be hashed, as far as is known. After a thread could not start, this tries another one. */
  isWorking(): Promise<boolean>
  /** Ends the threads of the hasher. Hashes that are being computed are rejected, and later ones too. */
  close(): Promise<void>
}

/**
 * Creates a hasher. It computes hashes in threads, several at a time on the available cores. On Linux, their priority is
 * lower than that of the event loop. The threads start with the first hashes.
 *
 * @param options.processes how many processes of this computer hash passwords at the same time
 * @param options.log names threads that ended unexpectedly
 */
export function createPasswordHasher(
  cost: Argon2Cost = DEFAULT_COST,
  { processes = 1, log }: { processes?: number | undefined; log?: Log } = {},
): PasswordHasher {
  const parallel = Math.max(1, Math.floor((availableParallelism() + 1) / processes))
  const semaphore = createFairSemaphore(Math.min(parallel, MAX_PARALLEL), {
    waiting: SIGN_INS_WAITING,
    groupOf: networkOfOwner,
    isPreferred: (owner) => owner?.includes(OF_ACCOUNT) === true,
  })
  const inTurn = <Result>(client: HashingClient | undefined, work: () => Promise<Result>): Promise<Result> =>
    semaphore.run(client && ownerOf(client), () => {
      if (currentRequest()?.hasLeft?.() === true) throw new ClientGone('password')
      return work()
    })
  const threads = createHashingThreads({ log })
  const unknownUser = toPhc({ cost, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) })
  const isPresent = (hash: StoredHash): boolean => hash.scheme === 'argon2id' && hash.cost === costText(cost)
  const hashAndCompare: PasswordHasher['hashAndCompare'] = async (own, password, client) => {
    const { salt, tag: expected } = (own === undefined ? undefined : readArgon2Parts(own)) ?? {
      salt: randomBytes(SALT_BYTES),
      tag: undefined,
    }
    const tagBytes = expected?.length ?? TAG_BYTES
    const tag = await inTurn(client, () => threads.derive({ password, salt, cost, tagBytes }))
    return { hash: toPhc({ cost, salt, tag }), matches: expected !== undefined && timingSafeEqual(tag, expected) }
  }
  return {
    hash: async (password, client) => (await hashAndCompare(undefined, password, client)).hash,
    hashAndCompare,
    verify: async (stored, password, client) => {
      const known = typeof stored === 'string' ? readStoredHash(stored) : undefined
      const compared = known === undefined ? unknownUser : (stored as string)
      const hasThis = await inTurn(client, () => threads.compare({ password, stored: compared }))
      const matches = hasThis && known !== undefined
      return { matches, isOutdated: matches && !isPresent(known) }
    },
    isOwn: (stored): stored is string => stored !== null && isPresent(readStoredHash(stored)),
    isWorking: async () =>
      threads.canStart() || isDone(inTime(threads.derive({ ...CHEAP, salt: randomBytes(SALT_BYTES) }))),
    close: threads.close,
  }
}
