import { verifySync } from '@node-rs/bcrypt'
import { requireWithin, type StoredHash } from './hash-format.ts'

const MODULAR = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/**
 * Maximum cost that is accepted. Computing a hash takes about a quarter of a second at cost 12, and twice as long at
 * the next cost.
 */
const MAX_COST = 12

/**
 * Reads a bcrypt hash. bcrypt ignores all but the first 72 bytes of a password; the Argon2id hash that replaces it
 * covers the whole password.
 */
export function readBcrypt(text: string): StoredHash | undefined {
  const [, cost] = MODULAR.exec(text) ?? []
  if (cost === undefined) return undefined
  requireWithin('cost', Number(cost), 4, MAX_COST)
  return { scheme: 'bcrypt', cost, matches: (password) => verifySync(password, text) }
}
