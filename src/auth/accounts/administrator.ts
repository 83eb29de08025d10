import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { newId } from '../ids.ts'
import { createPasswordHasher } from '../passwords/hasher.ts'
import { requireEmailAddress } from '../users/email-address.ts'
import { insertUser, listAdministratorContacts, lockAdministrators } from '../users/store.ts'

export interface FirstAdministrator {
  email: string
  /** If undefined, `generatePassword` creates the password. */
  password: string | undefined
  generatePassword(): string
  /**
   * Shows a generated password to the operator. It is called before the transaction that creates the account commits.
   */
  show(made: { email: string; password: string }): void
}

/**
 * Creates the first administrator unless one exists. A generated password is shown before the commit: if the process
 * dies in between, no account exists, and the next start shows another password.
 *
 * @throws when the email address belongs to a customer or an operator
 */
export async function ensureAdministrator(
  { db, clock }: { db: Db; clock: Clock },
  wanted: FirstAdministrator,
): Promise<void> {
  const email = requireEmailAddress(wanted.email, '/email')
  await db.transaction().execute(async (trx) => {
    if ((await lockAdministrators(trx)).length > 0) return
    const password = wanted.password ?? wanted.generatePassword()
    const at = clock.now()
    const passwordHash = await hashOnce(password)
    const user = { id: newId('user'), email, name: null, role: 'admin', passwordHash, emailVerifiedAt: at, at } as const
    if (!(await insertUser(trx, user))) {
      // Another node that starts at the same time may have created an administrator, or a customer may have this email address.
      if ((await lockAdministrators(trx)).length > 0) return
      throw new Error(`${email} cannot become the first administrator: a customer has registered it. Choose another.`)
    }
    if (wanted.password === undefined) wanted.show({ email, password })
  })
}

/** Tells whether an administrator exists that is not disabled. */
export async function hasAdministrator(db: Db): Promise<boolean> {
  return (await listAdministratorContacts(db)).length > 0
}

async function hashOnce(password: string): Promise<string> {
  const hasher = createPasswordHasher()
  try {
    return await hasher.hash(password)
  } finally {
    await hasher.close()
  }
}
