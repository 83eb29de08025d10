import { type RawBuilder, sql } from 'kysely'
import { LRUCache } from 'lru-cache'
import { runForAll } from './concurrency/request-context.ts'
import type { Db, Trx } from './db/index.ts'
import { shareOfCustomer } from './db/share.ts'
import { type FindShare, groupName, guestGroupOf, isShareOfVisitors, shareOf } from './fair-share.ts'
import { lazily } from './lazily.ts'

/** After this time, a payment or another change of a share has an effect in each process. */
const KNOWN_MS = 60_000

const KNOWN_OWNERS = 10_000

/**
 * Records that a user has registered without the help of the shop. Until `forgetNewcomer`, such users share processes
 * with the guests of their network, because a client may register any number of accounts.
 *
 * @param group of the network, equal to that of its guests (`newGuestId`)
 */
export async function noteNewcomer(trx: Trx, userId: string, group: Uint8Array): Promise<void> {
  await trx
    .insertInto('newcomers')
    .values({ user_id: userId, network: groupName(group) })
    .execute()
}

/**
 * Gives a user a share of its own, because an order of the user is in production, the user belongs to the staff, or is
 * erased.
 */
export async function forgetNewcomer(trx: Trx, userId: string): Promise<void> {
  await trx.deleteFrom('newcomers').where('user_id', '=', userId).execute()
}

/** SQL for whether a user still shares processes with others of its network (`noteNewcomer`). */
export function isNewcomerSql(userId: string): RawBuilder<boolean> {
  return sql<boolean>`exists (select from newcomers where user_id = ${userId})`
}

/** Finds the share of processes that a user has at this moment. */
export async function findShare(db: Db | Trx, userId: string): Promise<string> {
  const { rows } = await sql<{ share: string }>`
    select ${shareOfCustomer('owner.id', 'newcomers.network')} as share
    from (select ${userId}::text as id) as owner left join newcomers on newcomers.user_id = owner.id`.execute(db)
  return rows[0]?.share ?? userId
}

/** Creates a function like `findShare` that remembers shares for a minute. It also takes the shares of visitors. */
export function createShares(db: Db): FindShare {
  const shares = lazily(
    () =>
      new LRUCache<string, string>({
        max: KNOWN_OWNERS,
        ttl: KNOWN_MS,
        // Requests of the same owner share the query, and the client of the first one may leave.
        fetchMethod: (owner) => runForAll(() => findShare(db, owner)),
      }),
  )
  return (owner) => {
    if (isShareOfVisitors(owner) || guestGroupOf(owner) !== undefined) return shareOf(owner)
    return (
      shares().get(owner) ??
      shares()
        .fetch(owner)
        .then((share) => share ?? shareOf(owner))
    )
  }
}
