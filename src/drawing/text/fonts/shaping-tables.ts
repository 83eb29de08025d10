/** The tables that HarfBuzz reads to shape and measure horizontal text in a static (not variable) font. */
const READ: ReadonlySet<string> = new Set([
  ...['head', 'hhea', 'hmtx', 'maxp', 'cmap', 'OS/2'],
  ...['GDEF', 'GSUB', 'GPOS'],
  ...['glyf', 'loca', 'CFF '],
])

const HEADER = 12
const ENTRY = 16

/**
 * Copies the tables that shaping reads from a TrueType or OpenType font. The other tables, such as hints, may be most
 * of a file. Uploads now remove them, but fonts that were stored earlier still have them. The stored files stay
 * unchanged, because print files made from them must stay the same.
 *
 * @returns the font itself if it has no other tables or is malformed
 */
export function shapingTables(font: Uint8Array): Uint8Array {
  const view = new DataView(font.buffer, font.byteOffset, font.byteLength)
  if (font.length < HEADER || font.length < HEADER + view.getUint16(4) * ENTRY) return font
  const all = Array.from({ length: view.getUint16(4) }, (_, i) => entryAt(view, HEADER + i * ENTRY))
  const read = all.filter(({ tag }) => READ.has(tag))
  if (read.length === all.length || read.some(({ offset, length }) => offset + length > font.length)) return font
  const directory = HEADER + read.length * ENTRY
  const copy = new Uint8Array(read.reduce((end, { length }) => end + padded(length), directory))
  copy.set(font.subarray(0, 4))
  const out = new DataView(copy.buffer)
  out.setUint16(4, read.length)
  let at = directory
  for (const [i, { entry, offset, length }] of read.entries()) {
    copy.set(font.subarray(entry, entry + ENTRY), HEADER + i * ENTRY)
    out.setUint32(HEADER + i * ENTRY + 8, at)
    copy.set(font.subarray(offset, offset + length), at)
    at += padded(length)
  }
  return copy
}

function entryAt(view: DataView, entry: number) {
  const tag = String.fromCharCode(...[0, 1, 2, 3].map((i) => view.getUint8(entry + i)))
  return { tag, entry, offset: view.getUint32(entry + 8), length: view.getUint32(entry + 12) }
}

function padded(length: number): number {
  return Math.ceil(length / 4) * 4
}
