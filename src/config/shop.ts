import { LANGUAGES, type Language } from '../platform/languages.ts'
import { type ColoredLook, type Look, readLook, withAccent } from './look/look.ts'
import type { Settings } from './settings.ts'
import { ConfigError } from './values/config-error.ts'
import type { Logo } from './values/files.ts'

/** A logo that an administrator has uploaded. Its bytes are in the storage. */
export interface UploadedLogo {
  id: string
  sha256: string
  /** In pixels. */
  width: number
  height: number
}

/** How the shop appears to its customers. */
export interface ShopSettings {
  /** The pages that mails lead to are below this URL; no trailing slash. */
  shopUrl: string
  shopName: string
  /** If undefined, the name takes its place. */
  shopLogo: Logo | UploadedLogo | undefined
  /** Colour of headers and buttons in mails: `#rrggbb` in lower case. */
  shopColor: string
  /** How pages look. */
  look: Look
  /** Languages of the shop and its mails. The first one is for readers of all others. */
  shopLanguages: readonly Language[]
  /** Email address for questions of customers. Null: pages and mails name none. */
  shopSupportEmail: string | null
  /** Returns how pages look with another colour of the shop. */
  lookWithAccent(color: string): ColoredLook
  /** Colours that the editor offers, as `#rrggbb`. If empty, it offers its own. */
  shopPalette: readonly string[]
  passkeys: {
    /** The domain to which passkeys belong (relying party id). */
    rpId: string
    /** Origins whose pages may use them. */
    origins: readonly string[]
  }
}

export function readShop(settings: Settings, origin: string): ShopSettings {
  const { PLATEN_SHOP_URL: shopUrl = origin, PLATEN_SHOP_NAME: shopName } = settings
  const { PLATEN_SHOP_LOGO: shopLogo, PLATEN_SHOP_PALETTE: shopPalette } = settings
  const { look, shopColor } = readLook(settings)
  return {
    ...{ shopUrl, shopName, shopLogo, look, shopColor, shopPalette },
    shopLanguages: LANGUAGES,
    shopSupportEmail: null,
    lookWithAccent: (color) => withAccent(look, color),
    passkeys: readPasskeys(settings, origin),
  }
}

/** The origin of the service is included if browsers accept the domain there. */
function readPasskeys(
  { PLATEN_PASSKEY_ORIGINS: others, PLATEN_PASSKEY_RP_ID: domain }: Settings,
  origin: string,
): ShopSettings['passkeys'] {
  const rpId = domain ?? new URL(origin).hostname
  for (const other of others) {
    if (belongsTo(other, rpId)) continue
    throw new ConfigError(
      'PLATEN_PASSKEY_ORIGINS',
      `names "${other}", but the passkeys belong to ${rpId}, so its pages cannot use them. Set PLATEN_PASSKEY_RP_ID to a domain that contains every origin.`,
    )
  }
  const origins = [...new Set([...(belongsTo(origin, rpId) ? [origin] : []), ...others])]
  if (origins.length > 0) return { rpId, origins }
  throw new ConfigError(
    'PLATEN_PASSKEY_RP_ID',
    `is "${rpId}", but neither PLATEN_PUBLIC_URL nor PLATEN_PASSKEY_ORIGINS names an origin in this domain.`,
  )
}

function belongsTo(origin: string, domain: string): boolean {
  const { hostname } = new URL(origin)
  return hostname === domain || hostname.endsWith(`.${domain}`)
}
