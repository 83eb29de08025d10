import { FONT_LIMITS, tooLarge, unreadable } from './refuse.ts'

/** The tables of a font, by tag. */
export type FontTables = ReadonlyMap<string, Uint8Array>

const SFNT_HEADER = 12
const SFNT_ENTRY = 16
/**
 * A constant of OpenType ("head"): the checksum of a whole font plus its field `checksumAdjustment` gives this number.
 */
const CHECKSUM_MAGIC = 0xb1b0afba
const CHECKSUM_ADJUSTMENT_AT = 8

/**
 * The tables that are stored: all that shaping, drawing and embedding read.
 *
 * Other tables are removed: signatures, bitmaps, colours, private tables, and the axes of a variable font, of which
 * only the default instance remains. Hints (`fpgm`, `prep`, `cvt `, `gasp`) are removed because outlines are drawn
 * without hinting. Vertical metrics and baselines (`vhea`, `vmtx`, `VORG`, `BASE`) and the old table `kern` are removed
 * because layout does not use them.
 */
const KEPT: ReadonlySet<string> = new Set([
  ...['OS/2', 'cmap', 'head', 'hhea', 'hmtx', 'maxp', 'name', 'post'],
  ...['GDEF', 'GPOS', 'GSUB'],
])
const KEPT_OUTLINES = { glyf: ['glyf', 'loca'], 'CFF ': ['CFF '] } as const

export type OutlineKind = keyof typeof KEPT_OUTLINES

/**
 * Reads the tables of a TrueType or OpenType font. Checksums are not verified, because `buildSfnt` writes new ones.
 *
 * @throws {Refused} `font_unreadable`
 * @throws RangeError for a truncated directory
 */
export function readTables(sfnt: Uint8Array): FontTables {
  const view = viewOf(sfnt)
  const count = view.getUint16(4)
  const tables = new Map<string, Uint8Array>()
  for (let i = 0; i < checkedCount(count); i++) {
    const entry = SFNT_HEADER + i * SFNT_ENTRY
    addTable(tables, tagAt(view, entry), slice(sfnt, view.getUint32(entry + 8), view.getUint32(entry + 12)))
  }
  return tables
}

/** Rejects a font with more tables than real fonts have. Returns the number of tables. */
export function checkedCount(tables: number): number {
  if (tables > FONT_LIMITS.tables) throw unreadable('The font has too many tables.')
  return tables
}

export function addTable(tables: Map<string, Uint8Array>, tag: string, bytes: Uint8Array): void {
  if (tables.has(tag)) throw unreadable(`The font has the table "${tag}" twice.`)
  tables.set(tag, bytes)
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function tableView(tables: FontTables, tag: string): DataView {
  return viewOf(tables.get(tag) ?? new Uint8Array())
}

/** Reads a tag of four characters. A byte that is not printable ASCII becomes `?`. */
export function tagAt(view: DataView, offset: number): string {
  const codes = [0, 1, 2, 3].map((i) => view.getUint8(offset + i))
  return codes.map((code) => (code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : '?')).join('')
}

export function slice(bytes: Uint8Array, offset: number, length: number): Uint8Array {
  if (offset + length > bytes.length) throw unreadable('The font is truncated.')
  return bytes.subarray(offset, offset + length)
}

/**
 * Returns the tables of a font that are stored. Outlines of the other kind than `kind` are removed, because no check
 * has read them.
 *
 * @throws {Refused} `font_too_large` if the tables together are larger than a font may be. This is possible because
 * tables may share bytes of the file
 */
export function keptTables(tables: FontTables, kind: OutlineKind): FontTables {
  const outlines: readonly string[] = KEPT_OUTLINES[kind]
  const kept = new Map([...tables].filter(([tag]) => KEPT.has(tag) || outlines.includes(tag)))
  const post = tables.get('post')
  if (post !== undefined) kept.set('post', withoutGlyphNames(post))
  const bytes = [...kept.values()].reduce((sum, { length }) => sum + length, 0)
  if (bytes > FONT_LIMITS.unpackedBytes) {
    throw tooLarge(`The font unpacks to more than ${FONT_LIMITS.unpackedBytes / 1024 / 1024} MiB.`)
  }
  return kept
}

const POST_HEADER = 32
const POST_WITHOUT_NAMES = 0x00030000

/** Converts the table "post" to version 3, which has no glyph names. Nothing reads these names. */
function withoutGlyphNames(post: Uint8Array): Uint8Array {
  const header = post.slice(0, POST_HEADER)
  viewOf(header).setUint32(0, POST_WITHOUT_NAMES)
  return header
}

/**
 * Writes a font from its tables, in the order of their tags and with correct checksums. Bytes of the original file
 * between or after the tables are not part of the result.
 */
export function buildSfnt(all: FontTables): Uint8Array {
  const tables = [...all].sort(([a], [b]) => (a < b ? -1 : 1))
  const directory = SFNT_HEADER + tables.length * SFNT_ENTRY
  const sfnt = new Uint8Array(tables.reduce((end, [, bytes]) => end + padded(bytes.length), directory))
  const view = viewOf(sfnt)
  writeHeader(view, all.has('CFF ') ? 'OTTO' : '\0\x01\0\0', tables.length)
  let offset = directory
  let headAt = 0
  for (const [index, [tag, bytes]] of tables.entries()) {
    sfnt.set(bytes, offset)
    if (tag === 'head') {
      headAt = offset
      view.setUint32(headAt + CHECKSUM_ADJUSTMENT_AT, 0)
    }
    const entry = SFNT_HEADER + index * SFNT_ENTRY
    writeTag(view, entry, tag)
    view.setUint32(entry + 4, checksum(view, offset, padded(bytes.length)))
    view.setUint32(entry + 8, offset)
    view.setUint32(entry + 12, bytes.length)
    offset += padded(bytes.length)
  }
  view.setUint32(headAt + CHECKSUM_ADJUSTMENT_AT, (CHECKSUM_MAGIC - checksum(view, 0, sfnt.length)) >>> 0)
  return sfnt
}

function writeHeader(view: DataView, flavor: string, tables: number): void {
  const selector = Math.floor(Math.log2(tables))
  writeTag(view, 0, flavor)
  view.setUint16(4, tables)
  view.setUint16(6, 2 ** selector * 16)
  view.setUint16(8, selector)
  view.setUint16(10, tables * 16 - 2 ** selector * 16)
}

function writeTag(view: DataView, offset: number, tag: string): void {
  for (let i = 0; i < 4; i++) view.setUint8(offset + i, tag.charCodeAt(i))
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4
}

function checksum(view: DataView, offset: number, length: number): number {
  let sum = 0
  for (let at = offset; at < offset + length; at += 4) sum = (sum + view.getUint32(at)) >>> 0
  return sum
}
