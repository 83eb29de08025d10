import type { ProblemDetail } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'

/** What administrators read instead of the detail of a fault, by its code. */
const TEXTS: Readonly<Record<string, MessageKey>> = {
  required: 'consoleCatalogue.faultRequired',
  too_short: 'consoleCatalogue.faultRequired',
  too_few: 'consoleCatalogue.faultTooFew',
  too_small: 'consoleCatalogue.faultTooSmall',
  too_large: 'consoleCatalogue.faultTooLarge',
  too_long: 'consoleCatalogue.faultTooLong',
  wrong_format: 'consoleCatalogue.faultFormat',
  duplicate: 'consoleCatalogue.faultDuplicate',
  currency_unknown: 'consoleCatalogue.faultCurrency',
  too_many_decimals: 'consoleCatalogue.faultDecimals',
  page_too_large: 'consoleCatalogue.faultPage',
  safe_margin_too_large: 'consoleCatalogue.faultSafeMargin',
  min_dpi_above_target: 'consoleCatalogue.faultMinDpi',
  first_tier_not_one: 'consoleCatalogue.faultFirstTier',
  tiers_not_ascending: 'consoleCatalogue.faultTiers',
  color_profile_unknown: 'consoleCatalogue.faultProfile',
  formula: 'consoleCatalogue.faultFormula',
  product_not_found: 'consoleCatalogue.missing',
  product_changed: 'consoleCatalogue.faultProductChanged',
  variants_missing: 'consoleCatalogue.faultMissingVariants',
  variant_not_found: 'consoleCatalogue.faultVariant',
  differs: 'consoleCatalogue.faultDiffers',
  length_invalid: 'consoleCatalogue.faultLength',
  number_invalid: 'consoleCatalogue.faultNumber',
  price_invalid: 'consoleCatalogue.faultPrice',
  not_yes_or_no: 'consoleCatalogue.faultYesOrNo',
  options_unreadable: 'consoleCatalogue.faultOption',
  product_exists: 'consoleCatalogue.faultProductExists',
  variant_repeated: 'consoleCatalogue.faultRepeated',
  asset_unknown: 'consoleCatalogue.faultPicture',
}

/** Says what is wrong with a value. Faults without a text have the detail of the service. */
export function faultText({ text }: Pick<Texts, 'text'>, fault: Pick<ProblemDetail, 'code' | 'detail'>): string {
  const key = Object.hasOwn(TEXTS, fault.code) ? TEXTS[fault.code] : undefined
  return key === undefined ? fault.detail : text(key)
}
