import type { Db } from '../../platform/db/index.ts'
import { isId } from '../ids.ts'
import { authProblems } from '../problems.ts'
import { findUser, type User } from '../users/store.ts'

/** @throws `user_not_found`, also for a deleted account and for a customer without an account */
export function requiredAccount(user: User | undefined): User {
  if (user === undefined || user.deletedAt !== null || user.kind !== 'account') throw authProblems.user_not_found()
  return user
}

/** @throws `user_not_found` for a malformed id */
export function checkedUserId(id: string): string {
  if (!isId('user', id)) throw authProblems.user_not_found()
  return id
}

/** @throws `user_not_found` */
export async function requireAccount(db: Db, id: string): Promise<User> {
  return requiredAccount(await findUser(db, checkedUserId(id)))
}
