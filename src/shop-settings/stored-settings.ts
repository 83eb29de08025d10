import type { RegistrationPolicy } from '../config/index.ts'
import type { Language } from '../platform/languages.ts'

/** What administrators have set. Null: the value of the environment applies. */
export interface StoredSettings {
  /** Counts the changes; 0 before the first one. */
  revision: number
  name: string | null
  supportEmail: string | null
  languages: Language[] | null
  /** `#rrggbb` in lower case. */
  accentColor: string | null
  /** Id of an image of the shop. */
  logoAssetId: string | null
  registration: RegistrationPolicy | null
  updatedAt: Date | null
}

export const NEVER_SET: StoredSettings = {
  revision: 0,
  name: null,
  supportEmail: null,
  languages: null,
  accentColor: null,
  logoAssetId: null,
  registration: null,
  updatedAt: null,
}
