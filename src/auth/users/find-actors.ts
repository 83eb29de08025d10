import type { Db, Trx } from '../../platform/db/index.ts'

export interface ActorName {
  name: string | null
  /** Null for customers: operators of some roles must not read their email addresses. */
  email: string | null
}

export interface ActorNames {
  /** Names of users by id. Erased users are missing. */
  users: ReadonlyMap<string, ActorName>
  /** Names of API keys by id. Keys that were revoked long ago are missing. */
  keys: ReadonlyMap<string, string>
}

/** Finds the names of users and API keys that have acted on records, and the email addresses of staff, for operators. */
export async function findActorNames(
  db: Db | Trx,
  { userIds, keyIds }: { userIds: Iterable<string>; keyIds: Iterable<string> },
): Promise<ActorNames> {
  const [users, keys] = [[...new Set(userIds)], [...new Set(keyIds)]]
  const namedUsers =
    users.length === 0
      ? []
      : await db
          .selectFrom('users')
          .select(['id', 'name', 'email', 'role'])
          .where('id', 'in', users)
          .where('deleted_at', 'is', null)
          .execute()
  const namedKeys =
    keys.length === 0 ? [] : await db.selectFrom('api_keys').select(['id', 'name']).where('id', 'in', keys).execute()
  return {
    users: new Map(
      namedUsers.map(({ id, name, email, role }) => [id, { name, email: role === 'customer' ? null : email }]),
    ),
    keys: new Map(namedKeys.map(({ id, name }) => [id, name])),
  }
}
