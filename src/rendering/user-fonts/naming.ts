import { unreadable } from './sfnt/refuse.ts'
import { type FontTables, tableView } from './sfnt/tables.ts'

/** The names and properties by which a document selects a font. */
export interface FontNaming {
  family: string
  /** The weight, from 1 to 1000, as in CSS. */
  weight: number
  style: 'normal' | 'italic'
}

/** The maximum length of `fontFamily` in a text layer. */
const MAX_FAMILY_LENGTH = 100

const FAMILY = 1
const TYPOGRAPHIC_FAMILY = 16

const TYPOGRAPHIC_SUBFAMILY = 17
const NORMAL_WIDTH = 5
const WIDTH_NAMES = /\b(?:(?:ultra|extra|semi)[ -]?)?(?:condensed|compressed|narrow|expanded|extended|wide)\b/i

/**
 * Reads family, weight and style from the tables `name`, `OS/2` and `head` of a font. If a family has several widths,
 * each width becomes a family of its own, because documents select fonts only by family, weight and style.
 *
 * @throws {Refused} `font_unreadable`
 * @throws RangeError for truncated tables
 */
export function readNaming(tables: FontTables): FontNaming {
  const os2 = tableView(tables, 'OS/2')
  const isItalic = (os2.getUint16(62) & 0x0201) !== 0 || (tableView(tables, 'head').getUint16(44) & 0x0002) !== 0
  return {
    family: familyOf(tableView(tables, 'name'), os2.getUint16(6)),
    weight: weightOf(os2.getUint16(4)),
    style: isItalic ? 'italic' : 'normal',
  }
}

// Some old fonts use weights from 1 to 9 instead of 100 to 900.
function weightOf(weightClass: number): number {
  if (weightClass === 0) return 400
  return Math.min(1000, weightClass < 10 ? weightClass * 100 : weightClass)
}

function familyOf(names: DataView, widthClass: number): string {
  const typographic = findName(names, TYPOGRAPHIC_FAMILY)
  const family = typographic ?? findName(names, FAMILY)
  if (family === undefined) throw unreadable('The font does not state the name of its family.')
  // The legacy family name (id 1) already includes the width.
  const width = typographic === undefined || widthClass === NORMAL_WIDTH ? undefined : widthName(names)
  const full = width === undefined || WIDTH_NAMES.test(family) ? family : `${family} ${width}`
  if (full.length > MAX_FAMILY_LENGTH) {
    throw unreadable(`The name of the font's family is longer than ${MAX_FAMILY_LENGTH} characters.`)
  }
  return full
}

function widthName(names: DataView): string | undefined {
  return WIDTH_NAMES.exec(findName(names, TYPOGRAPHIC_SUBFAMILY) ?? '')?.[0]
}

/**
 * Finds the English name of this id, or the name in another language if there is none. Returns undefined if no name has
 * visible characters.
 */
function findName(names: DataView, nameId: number): string | undefined {
  const count = names.getUint16(2)
  const texts = names.getUint16(4)
  let best: { rank: number; name: string } | undefined
  for (let i = 0; i < count; i++) {
    const at = 6 + i * 12
    if (names.getUint16(at + 6) !== nameId) continue
    const rank = rankOf(names.getUint16(at), names.getUint16(at + 2), names.getUint16(at + 4))
    if (rank === undefined || (best !== undefined && best.rank <= rank)) continue
    const bytes = new Uint8Array(names.buffer, names.byteOffset + texts + names.getUint16(at + 10))
    const name = cleanName(decoder(rank).decode(bytes.subarray(0, names.getUint16(at + 8))))
    if (name !== '') best = { rank, name }
  }
  return best?.name
}

const MACINTOSH_RANK = 4

/** Ranks a name by its platform, encoding and language; lower is better. Returns undefined for obsolete encodings. */
function rankOf(platform: number, encoding: number, language: number): number | undefined {
  if (platform === 3 && (encoding === 0 || encoding === 1 || encoding === 10)) {
    if (language === 0x0409) return 0
    return (language & 0x3ff) === 0x09 ? 1 : 2
  }
  if (platform === 0) return 3
  return platform === 1 && encoding === 0 ? MACINTOSH_RANK : undefined
}

function decoder(rank: number): TextDecoder {
  return new TextDecoder(rank === MACINTOSH_RANK ? 'macintosh' : 'utf-16be')
}

/** Removes characters that cannot be seen or typed, so that two families with different names also look different. */
function cleanName(name: string): string {
  return name
    .normalize('NFC')
    .replaceAll(/[\t\n\r]/g, ' ')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Cn}\ufffd]/gu, '')
    .replaceAll(/\p{Z}+/gu, ' ')
    .trim()
}
