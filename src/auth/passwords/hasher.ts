import { argon2, randomBytes, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { authProblems } from '../problems.ts'

/** Cost of one evaluation. OWASP Password Storage Cheat Sheet: Argon2id with m = 19 MiB, t = 2, p = 1 at least. */
export interface Argon2Cost {
  memoryKiB: number
  passes: number
  lanes: number
}

const DEFAULT_COST: Argon2Cost = { memoryKiB: 19_456, passes: 2, lanes: 1 }
const SALT_BYTES = 16
const TAG_BYTES = 32

/** Some seconds' worth: whoever would have to wait longer is better told so. */
const MAX_WAITING = 200

/** Node's thread pool has four threads; one is left to files and signatures, so that reads go on during a rush. */
const MAX_PARALLEL = 3

export interface PasswordHasher {
  /** Returns the hash in PHC string format: `$argon2id$v=19$m=...,t=...,p=...$salt$tag`. */
  hash(password: string): Promise<string>
  /**
   * Compares a password with a stored hash. Without a hash (no such account) it costs the same and is wrong.
   * Passwords are taken as they are: whole, every character, no Unicode normalisation.
   *
   * @throws `sign_in_busy` when too many are waiting already
   */
  verify(stored: string | null | undefined, password: string): Promise<{ matches: boolean; isOutdated: boolean }>
}

/** Evaluates Argon2id off the event loop, as many at once as there are cores to run them. */
export function createPasswordHasher(cost: Argon2Cost = DEFAULT_COST): PasswordHasher {
  const queue = createQueue(Math.min(availableParallelism() + 1, MAX_PARALLEL), MAX_WAITING)
  const derive = (password: string, salt: Buffer, { memoryKiB, passes, lanes }: Argon2Cost): Promise<Buffer> =>
    queue(
      () =>
        new Promise((resolve, reject) => {
          const input = {
            message: password,
            nonce: salt,
            parallelism: lanes,
            tagLength: TAG_BYTES,
            memory: memoryKiB,
            passes,
          }
          argon2('argon2id', input, (error, tag) => (error === null ? resolve(tag) : reject(error)))
        }),
    )
  const nobody = { cost, salt: randomBytes(SALT_BYTES), tag: randomBytes(TAG_BYTES) }
  return {
    hash: async (password) => {
      const salt = randomBytes(SALT_BYTES)
      return toPhc({ cost, salt, tag: await derive(password, salt, cost) })
    },
    verify: async (stored, password) => {
      const known = typeof stored === 'string' ? fromPhc(stored) : undefined
      const expected = known ?? nobody
      const tag = await derive(password, expected.salt, expected.cost)
      const matches = timingSafeEqual(tag, expected.tag) && known !== undefined
      return { matches, isOutdated: matches && !sameCost(expected.cost, cost) }
    },
  }
}

interface PhcHash {
  cost: Argon2Cost
  salt: Buffer
  tag: Buffer
}

const PHC = /^\$argon2id\$v=19\$m=(\d{1,8}),t=(\d{1,4}),p=(\d{1,3})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]{43})$/

function fromPhc(text: string): PhcHash {
  const [, memoryKiB, passes, lanes, salt, tag] = PHC.exec(text) ?? []
  if (salt === undefined || tag === undefined) throw new Error('a stored password hash is not in the expected format')
  return {
    cost: { memoryKiB: Number(memoryKiB), passes: Number(passes), lanes: Number(lanes) },
    salt: Buffer.from(salt, 'base64'),
    tag: Buffer.from(tag, 'base64'),
  }
}

function toPhc({ cost, salt, tag }: PhcHash): string {
  const encode = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')
  return `$argon2id$v=19$m=${cost.memoryKiB},t=${cost.passes},p=${cost.lanes}$${encode(salt)}$${encode(tag)}`
}

function sameCost(a: Argon2Cost, b: Argon2Cost): boolean {
  return a.memoryKiB === b.memoryKiB && a.passes === b.passes && a.lanes === b.lanes
}

/** Runs so many at once, lets so many wait in order, and refuses the rest. */
function createQueue(parallel: number, maxWaiting: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running < parallel) running += 1
    else {
      if (waiting.length >= maxWaiting) throw authProblems.sign_in_busy({ headers: { 'Retry-After': '2' } })
      // Whoever ends hands over its place without giving it up in between.
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
