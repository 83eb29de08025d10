import { sql } from 'kysely'
import type { Db, Trx } from '../../../platform/db/index.ts'
import type { UserKind } from '../../users/store.ts'

/** Who stores something: an account, a customer without a sign-in, or a guest. */
export interface Owner {
  id: string
  kind: UserKind
  /** The email address of the account, or the one that the shop entered. */
  email: string | null
  name: string | null
}

/** Finds the owners with these ids that still exist. */
export async function findOwners(db: Db | Trx, ids: readonly string[]): Promise<ReadonlyMap<string, Owner>> {
  const { rows } = await sql<Owner>`
    select id, kind, case kind when 'account' then email else contact_email end as email, name
    from users where id = any(${[...ids]}::text[]) and deleted_at is null`.execute(db)
  return new Map(rows.map((owner) => [owner.id, owner]))
}
