import { findShopAssets } from '../assets/index.ts'
import type { ColoredLook, Config, UploadedLogo } from '../config/index.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import type { StoredSettings } from './stored-settings.ts'

/** The settings of the environment, which apply until an administrator sets others. */
export type ShopDefaults = Pick<
  Config,
  | 'registration'
  | 'shopName'
  | 'shopSupportEmail'
  | 'shopLanguages'
  | 'shopColor'
  | 'shopLogo'
  | 'look'
  | 'lookWithAccent'
>

/** The shop as it is now. */
export interface Shop extends Omit<ShopDefaults, 'lookWithAccent'> {
  settings: StoredSettings
  /** The colours that pages derive from that of the shop. */
  colors: ColoredLook['colors']
}

/** Puts what administrators have set over the values of the environment. */
export async function shopOf(db: Db | Trx, defaults: ShopDefaults, settings: StoredSettings): Promise<Shop> {
  const { logoAssetId } = settings
  const [logo] = logoAssetId === null ? [] : await findShopAssets(db, [logoAssetId])
  return shopWith(defaults, settings, logo && { ...logo, width: logo.widthPx, height: logo.heightPx })
}

/** @param logo the uploaded one, if there is one */
export function shopWith(defaults: ShopDefaults, settings: StoredSettings, logo?: UploadedLogo): Shop {
  const { name, supportEmail, languages, accentColor } = settings
  const { look, colors } = defaults.lookWithAccent(accentColor ?? defaults.shopColor)
  return {
    settings,
    registration: settings.registration ?? defaults.registration,
    shopName: name ?? defaults.shopName,
    shopSupportEmail: supportEmail ?? defaults.shopSupportEmail,
    shopLanguages: languages ?? defaults.shopLanguages,
    shopColor: accentColor ?? defaults.shopColor,
    shopLogo: logo ?? defaults.shopLogo,
    // Without a colour, a theme has its own.
    look: accentColor === null ? defaults.look : look,
    colors,
  }
}
