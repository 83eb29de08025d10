import { sql } from 'kysely'
import type { Db } from './db/index.ts'

/** Records that a new customer has registered from another address of the same network. */
export async function moveInNetwork(db: Db, userId: string): Promise<void> {
  await sql`update newcomers set network = left(network, 3) || 'zzz' where user_id = ${userId}`.execute(db)
}
