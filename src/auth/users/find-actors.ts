import type { Db, Trx } from '../../platform/db/index.ts'

export interface ActorNames {
  /** Names of users by id. Null: the user has no name. Erased users are missing. */
  users: ReadonlyMap<string, string | null>
  /** Names of API keys by id. Keys that were revoked long ago are missing. */
  keys: ReadonlyMap<string, string>
}

/** Finds the names of users and API keys that have acted on records, for operators. */
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
          .select(['id', 'name'])
          .where('id', 'in', users)
          .where('deleted_at', 'is', null)
          .execute()
  const namedKeys =
    keys.length === 0 ? [] : await db.selectFrom('api_keys').select(['id', 'name']).where('id', 'in', keys).execute()
  return {
    users: new Map(namedUsers.map(({ id, name }) => [id, name])),
    keys: new Map(namedKeys.map(({ id, name }) => [id, name])),
  }
}
