import type { ChangeShopSettingsRequest, ShopSettings } from '@platen/client'

/** What differs from the saved settings. Null: the value of the installation. */
export type ShopEdits = ChangeShopSettingsRequest

/** The settings as they would be after saving. */
export interface EditedShop {
  name: string
  supportEmail: string
  languages: readonly string[]
  accentColor: string
}

/** @returns undefined for `accentColor` if it becomes that of the installation, which the page does not know */
export function editedShop(saved: ShopSettings, edits: ShopEdits): EditedShop {
  return {
    name: edits.name ?? (edits.name === null ? '' : saved.name),
    supportEmail: edits.supportEmail ?? (edits.supportEmail === null ? '' : (saved.supportEmail ?? '')),
    languages: edits.languages ?? saved.languages,
    accentColor: edits.accentColor ?? saved.accentColor,
  }
}

export const isColor = (color: string): boolean => /^#[0-9a-f]{6}$/i.test(color)

export const canSave = (edits: ShopEdits): boolean =>
  Object.keys(edits).length > 0 &&
  (typeof edits.accentColor !== 'string' || isColor(edits.accentColor)) &&
  (edits.languages === undefined || edits.languages === null || edits.languages.length > 0)

/** Puts a language first, which is for readers of all other languages. */
export function withDefault<Language extends string>(languages: readonly Language[], first: string): Language[] {
  return languages.toSorted((a, b) => Number(b === first) - Number(a === first))
}
