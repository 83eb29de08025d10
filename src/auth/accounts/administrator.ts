import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../../platform/ids.ts'
import { createPasswordHasher } from '../passwords/hasher.ts'
import { requireEmailAddress } from './email-address.ts'
import { insertUser, lockAdministrators } from './store.ts'

export interface FirstAdministrator {
  email: string
  /** Undefined: one is made with `generatePassword`. */
  password: string | undefined
  generatePassword(): string
}

/**
 * Makes the first administrator, unless there is one.
 *
 * @returns address and password when the password was generated: the only moment at which it can be shown
 * @throws when the address already belongs to somebody who is not an administrator
 */
export async function ensureAdministrator(
  { db, clock }: { db: Db; clock: Clock },
  wanted: FirstAdministrator,
): Promise<{ email: string; password: string } | undefined> {
  const email = requireEmailAddress(wanted.email, '/email')
  return db.transaction().execute(async (trx) => {
    if ((await lockAdministrators(trx)).length > 0) return undefined
    const password = wanted.password ?? wanted.generatePassword()
    const at = clock.now()
    const passwordHash = await createPasswordHasher().hash(password)
    const user = { id: newId('user'), email, name: null, role: 'admin', passwordHash, emailVerifiedAt: at, at } as const
    if (!(await insertUser(trx, user))) {
      // Another node that starts at the same moment has just made it, or a customer has the address.
      if ((await lockAdministrators(trx)).length > 0) return undefined
      throw new Error(`${email} cannot become the first administrator: a customer has registered it. Choose another.`)
    }
    return wanted.password === undefined ? { email, password } : undefined
  })
}
