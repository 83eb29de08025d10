import { shareWithShop } from '../assets/index.ts'
import type { Editor } from '../change-records/index.ts'
import type { Trx } from '../platform/db/index.ts'
import { shopSettingsProblems } from './problems.ts'
import { recordSettings } from './record-settings.ts'
import type { ShopChangesBody } from './schemas.ts'
import { type Shop, type ShopDefaults, shopOf } from './shop.ts'
import { lockSettings, saveSettings } from './store.ts'
import type { StoredSettings } from './stored-settings.ts'

interface ChangeDeps {
  defaults: ShopDefaults
  /** Throws if the locked settings are not the version that the administrator has seen. */
  requireVersion(shop: Shop): void
}

interface Change {
  changes: ShopChangesBody
  /** The logo may be an image of this account. */
  editor: Editor
  now: Date
}

/**
 * Replaces the given settings of the shop. Null lets the value of the environment apply again.
 *
 * @throws `shop_settings_invalid`, and what `requireVersion` throws
 */
export async function changeSettings(
  trx: Trx,
  { defaults, requireVersion }: ChangeDeps,
  { changes, editor, now }: Change,
): Promise<Shop> {
  const before = await lockSettings(trx)
  requireVersion(await shopOf(trx, defaults, before))
  const { name, accentColor, logoAssetId, ...others } = changes
  const settings: StoredSettings = {
    ...before,
    ...others,
    ...(name === undefined ? {} : { name: name?.trim() ?? null }),
    ...(accentColor === undefined ? {} : { accentColor: readColor(defaults, accentColor) }),
    ...(logoAssetId === undefined
      ? {}
      : { logoAssetId: await takeLogo(trx, { id: logoAssetId, ownerId: editor.userId, now }) }),
    revision: before.revision + 1,
    updatedAt: now,
  }
  await saveSettings(trx, settings)
  await recordSettings(trx, { before, after: settings, editor, now })
  return shopOf(trx, defaults, settings)
}

/** @throws `shop_settings_invalid` if a theme has no place for the colour where its texts would be readable */
export function readColor(
  { lookWithAccent }: Pick<ShopDefaults, 'lookWithAccent'>,
  given: string | null,
): string | null {
  if (given === null) return null
  const color = given.toLowerCase()
  const { unreadable } = lookWithAccent(color)
  if (unreadable === undefined) return color
  throw invalid('contrast_too_low', '/accentColor', `The colour ${unreadable}.`)
}

interface NewLogo {
  id: string | null
  ownerId: string
  now: Date
}

/** Makes the image one of the shop, so that it stays if the administrator deletes it. */
async function takeLogo(trx: Trx, { id, ownerId, now }: NewLogo): Promise<string | null> {
  if (id === null) return null
  const logo = (await shareWithShop(trx, { ownerId, ids: [id], now })).get(id)
  if (logo !== undefined) return logo.id
  throw invalid('asset_unknown', '/logoAssetId', 'The administrator has no asset, and the shop no image, with this id.')
}

const invalid = (code: string, pointer: string, detail: string) =>
  shopSettingsProblems.shop_settings_invalid({ errors: [{ code, pointer, detail }] })
