import { verify } from '@node-rs/bcrypt'
import { requireWithin, type StoredHash } from './hash-format.ts'

const MODULAR = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/** At 12 an evaluation takes about a quarter of a second, and twice as long with each one more. */
const MAX_COST = 12

/** Compares the first 72 bytes of a password, as bcrypt does; the hash that replaces this one takes it whole. */
export function readBcrypt(text: string): StoredHash | undefined {
  const [, cost] = MODULAR.exec(text) ?? []
  if (cost === undefined) return undefined
  requireWithin('cost', Number(cost), 4, MAX_COST)
  return { scheme: 'bcrypt', cost, matches: (password) => verify(password, text) }
}
