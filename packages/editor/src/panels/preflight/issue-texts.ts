import type { IssueCode, PreflightIssue } from '@platen/drawing'
import type { EditorMessage } from '../../messages.ts'

/** Words for every code of preflight. The compiler reports a code without words. */
export const ISSUE_TEXTS: Readonly<Record<IssueCode, EditorMessage>> = {
  asset_missing: 'issueAssetMissing',
  bleed_missing: 'issueBleedMissing',
  font_unknown: 'issueFontUnknown',
  glyphs_missing: 'issueGlyphsMissing',
  image_resolution_low: 'issueResolutionLow',
  invalid_path: 'issueInvalidPath',
  layer_outside_print_area: 'issueOutsidePrintArea',
  line_too_thin: 'issueLineTooThin',
  outside_safe_area: 'issueOutsideSafeArea',
  print_area_empty: 'issuePrintAreaEmpty',
  print_area_unknown: 'issuePrintAreaUnknown',
  product_unavailable: 'issueProductUnavailable',
  qr_contrast_low: 'issueQrContrastLow',
  qr_too_small: 'issueQrTooSmall',
  qr_value_too_long: 'issueQrValueTooLong',
  text_overflow: 'issueTextOverflow',
  text_too_small: 'issueTextTooSmall',
  number_not_finite: 'issueInvalidNumber',
  too_many_decimals: 'issueInvalidNumber',
  size_not_positive: 'issueNoSize',
  crop_outside_image: 'issueCropOutside',
  dash_without_length: 'issueDashes',
  duplicate_layer_id: 'issueDuplicate',
  duplicate_print_area: 'issueDuplicate',
  too_many_layers: 'issueTooManyLayers',
  too_much_text: 'issueTooMuchText',
  too_much_path_data: 'issueTooDetailed',
  too_many_dashes: 'issueTooDetailed',
}

export type Text = (key: EditorMessage, values?: Record<string, string | number>) => string

export interface IssueNames {
  /** The name of the layer. */
  layer: string
  /** The name of the side. */
  side: string
}

/** Describes an issue. A code of a later version has the words of the service. */
export function issueText(issue: PreflightIssue, names: IssueNames, text: Text, locale: string): string {
  const key = Object.hasOwn(ISSUE_TEXTS, issue.code) ? ISSUE_TEXTS[issue.code] : undefined
  if (key === undefined) return issue.message
  return text(key, {
    ...names,
    severity: issue.severity,
    measured: amount(issue.measured, issue.unit, locale),
    limit: amount(issue.limit, issue.unit, locale),
    hasMeasure: issue.measured === undefined ? 'no' : 'yes',
    isClose: isClose(issue.measured, issue.limit) ? 'yes' : 'no',
  })
}

/** A resolution of at least this share of the target is hard to tell from the target. */
const CLOSE_SHARE = 0.9

export function isClose(measured = 0, limit = Number.POSITIVE_INFINITY): boolean {
  return measured >= CLOSE_SHARE * limit
}

/** Rounds a resolution below its limit. It is never shown as the limit itself, which would contradict the issue. */
export function shownDpi(dpi: number): number {
  return Math.floor(dpi)
}

const UNITS: Readonly<Record<string, string>> = { mm: 'millimeter', '%': 'percent' }
/** Resolutions are whole numbers, and modules of QR codes differ in hundredths of a millimetre. */
const DECIMALS: Readonly<Record<string, number>> = { dpi: 0, '%': 0, mm: 2, pt: 2 }

/** Writes a value with its unit. */
export function amount(value: number | undefined, unit = '', locale: string): string {
  if (value === undefined) return ''
  const style = UNITS[unit] === undefined ? {} : { style: 'unit', unit: UNITS[unit] }
  const options = { maximumFractionDigits: DECIMALS[unit] ?? 2, ...style } as Intl.NumberFormatOptions
  const number = new Intl.NumberFormat(locale, options).format(unit === 'dpi' ? shownDpi(value) : value)
  return UNITS[unit] === undefined && unit !== '' ? `${number}\u00a0${unit}` : number
}
