import { sql } from 'kysely'
import type { Db, Trx } from '../../db/index.ts'
import { chargeFor, RELEASE_SECONDS } from './store.ts'

interface NamedOwner {
  ownerId: string
  /** An identifier that one account can lose and another can take, such as a pseudonym of an email address. */
  name: string
}

/**
 * Preserves the storage that an account uses, has reserved, and has added without payment, so that it counts for the next account with
 * the same name. Call this function before the records are deleted. Files stay on the disk for a day, and a new account
 * must not get a new quota for them.
 */
export async function recordFormerUse(trx: Trx, { ownerId, name }: NamedOwner): Promise<void> {
  await sql`
    insert into storage_former_use (name, owner_id, bytes, counts_until)
    select ${name}, ${ownerId}, bytes, now() + make_interval(secs => ${RELEASE_SECONDS}) from (
      select sum(greatest(bytes, 0))::bigint as bytes from (
        select bytes from storage_usage where owner_id = ${ownerId}
        union all
        select bytes from storage_unpaid where owner_id = ${ownerId} and counts_until > now()
        union all
        select bytes from storage_reservations where owner_id = ${ownerId} and expires_at > clock_timestamp()
      ) as parts
    ) as stored
    where bytes > 0
    on conflict (name, owner_id) do update set bytes = excluded.bytes, counts_until = excluded.counts_until`.execute(
    trx,
  )
}

/**
 * Lets the former use of a new customer count for the new customers of its network, after `recordFormerUse` and before
 * the customer is forgotten. Otherwise a client could register, store and delete accounts until the disk is full.
 */
export async function keepFormerUseForNetwork(trx: Trx, ownerId: string): Promise<void> {
  await sql`
    update storage_former_use f set network = n.network from newcomers n
    where f.owner_id = ${ownerId} and n.user_id = ${ownerId}`.execute(trx)
}

/**
 * Charges an account that takes a name for what other accounts with this name stored. Former use that the account
 * itself left under the name is deleted without a charge, because it still counts as current use. Locks the usage of
 * the account.
 */
export async function chargeFormerUse(trx: Trx, { ownerId, name }: NamedOwner): Promise<void> {
  const { rows } = await sql<{ formerOwnerId: string; bytes: number; seconds: number }>`
    delete from storage_former_use where name = ${name}
    returning owner_id as "formerOwnerId", bytes, extract(epoch from counts_until - now())::float8 as seconds`.execute(
    trx,
  )
  for (const { formerOwnerId, bytes, seconds } of rows) {
    if (formerOwnerId !== ownerId && seconds > 0) await chargeFor(trx, { ownerId, bytes, seconds })
  }
}

export async function deleteExpiredFormerUse(db: Db): Promise<void> {
  await sql`delete from storage_former_use where counts_until <= now()`.execute(db)
}
