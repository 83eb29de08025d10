import type { Db } from '../../../platform/db/index.ts'

/** Returns the email addresses that have an account. */
export async function findTaken(db: Db, emails: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('users').select('email').where('email', 'in', emails).execute()
  return rows.map(({ email }) => email)
}
