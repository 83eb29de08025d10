import { verify } from '@node-rs/bcrypt'
import { requireWithin, type StoredHash } from './hash-format.ts'

const MODULAR = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** An evaluation takes about a quarter of a second at 12, and doubles with each increment. */
const MAX_COST = 12

/**
 * Reads bcrypt, which compares only the first 72 bytes of a password. The hash that replaces it covers the whole
 * password.
 */
export function readBcrypt(text: string): StoredHash | undefined {
  const [, cost] = MODULAR.exec(text) ?? []
  if (cost === undefined) return undefined
  requireWithin('cost', Number(cost), 4, MAX_COST)
  return { scheme: 'bcrypt', cost, matches: (password) => verify(password, text) }
}
