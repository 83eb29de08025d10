import { sql } from 'kysely'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { TaxRate, TaxSettings } from './tax-table.ts'

export type StoredTaxSettings = TaxSettings & { updatedAt: Date }

/** Returns undefined if the tax settings were never set. */
export async function findTaxSettings(db: Db | Trx): Promise<StoredTaxSettings | undefined> {
  const row = await db.selectFrom('tax_settings').select(['tax_included', 'rates', 'updated_at']).executeTakeFirst()
  if (row === undefined) return undefined
  return { taxIncluded: row.tax_included, rates: row.rates as unknown as TaxRate[], updatedAt: row.updated_at }
}

/** Finds the tax settings, and locks them until the transaction ends, also before they are set for the first time. */
export async function lockTaxSettings(trx: Trx): Promise<StoredTaxSettings | undefined> {
  await sql`lock table tax_settings in share row exclusive mode`.execute(trx)
  return findTaxSettings(trx)
}

export async function saveTaxSettings(
  trx: Trx,
  { taxIncluded, rates, updatedAt }: StoredTaxSettings,
): Promise<StoredTaxSettings> {
  const row = { tax_included: taxIncluded, rates: JSON.stringify(rates), updated_at: updatedAt }
  await trx
    .insertInto('tax_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('only_one').doUpdateSet(row))
    .execute()
  return { taxIncluded, rates, updatedAt }
}
