import type { Db } from '../../../platform/db/index.ts'

export async function findTaken(db: Db, emails: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('users').select('email').where('email', 'in', emails).execute()
  return rows.map(({ email }) => email)
}
