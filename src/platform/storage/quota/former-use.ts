import { sql } from 'kysely'
import type { Db, Trx } from '../../db/index.ts'
import { chargeFor, RELEASE_SECONDS } from './store.ts'

interface NamedOwner {
  ownerId: string
  /** What an account can give up and another can take, such as a pseudonym of its email address. */
  name: string
}

/**
 * Keeps counting what an account stores, and has added without paying for it, for the next account of its name. Call it
 * before the records are deleted: files stay on the disk for a day, and a new account must not get a new quota for them.
 */
export async function recordFormerUse(trx: Trx, { ownerId, name }: NamedOwner): Promise<void> {
  await sql`
    insert into storage_former_use (name, owner_id, bytes, counts_until)
    select ${name}, ${ownerId}, bytes, now() + make_interval(secs => ${RELEASE_SECONDS}) from (
      select sum(greatest(bytes, 0))::bigint as bytes from (
        select bytes from storage_usage where owner_id = ${ownerId}
        union all
        select bytes from storage_unpaid where owner_id = ${ownerId} and counts_until > now()
      ) as parts
    ) as stored
    where bytes > 0
    on conflict (name, owner_id) do update set bytes = excluded.bytes, counts_until = excluded.counts_until`.execute(
    trx,
  )
}

/**
 * Charges an account that takes a name for what other accounts of this name stored. Its own former use ends: it never
 * stopped counting. Takes the lock of the account's usage.
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
