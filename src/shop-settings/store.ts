import type { Db, Trx } from '../platform/db/index.ts'
import { NEVER_SET, type StoredSettings } from './stored-settings.ts'

const COLUMNS = [
  'revision',
  'name',
  'support_email as supportEmail',
  'languages',
  'accent_color as accentColor',
  'logo_asset_id as logoAssetId',
  'registration',
  'updated_at as updatedAt',
] as const

export async function findSettings(db: Db | Trx): Promise<StoredSettings> {
  const row = await db.selectFrom('shop_settings').select(COLUMNS).executeTakeFirst()
  return row === undefined ? NEVER_SET : (row as StoredSettings)
}

/** Locks the settings until the end of the transaction, also before they are set for the first time. */
export async function lockSettings(trx: Trx): Promise<StoredSettings> {
  await trx
    .insertInto('shop_settings')
    .values({ only_one: true })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  const row = await trx.selectFrom('shop_settings').select(COLUMNS).forUpdate().executeTakeFirstOrThrow()
  return row as StoredSettings
}

/** Saves locked settings. */
export async function saveSettings(trx: Trx, settings: StoredSettings): Promise<void> {
  const { revision, name, supportEmail, languages, accentColor, logoAssetId, registration, updatedAt } = settings
  await trx
    .updateTable('shop_settings')
    .set({
      ...{ revision, name, languages, support_email: supportEmail, accent_color: accentColor },
      ...{ logo_asset_id: logoAssetId, registration, updated_at: updatedAt },
    })
    .execute()
}
