const WOFF_SIGNATURE = 0x774f4646
const WOFF_HEADER = 44
const WOFF_ENTRY = 20
const SFNT_HEADER = 12
const SFNT_ENTRY = 16

/** A table of a WOFF file. */
export interface WoffTable {
  tag: number
  checksum: number
  /** The bytes in the file. They are compressed with zlib if there are fewer of them than `length`. */
  packed: Uint8Array<ArrayBuffer>
  length: number
}

export interface WoffFile {
  /** The version of the TrueType or OpenType file. */
  flavor: number
  /** The size of the TrueType or OpenType file. */
  size: number
  tables: readonly WoffTable[]
}

/**
 * Reads a WOFF 1.0 file (W3C "WOFF File Format 1.0"). The installed fonts are not WOFF 2, although that would be
 * smaller, because neither HarfBuzz nor Node.js can decode its transformed tables.
 *
 * @throws RangeError or TypeError for a file that is not well-formed.
 */
export function readWoff(woff: Uint8Array<ArrayBuffer>): WoffFile {
  const view = new DataView(woff.buffer, woff.byteOffset, woff.byteLength)
  if (view.getUint32(0) !== WOFF_SIGNATURE) throw new TypeError('Not a WOFF file')
  const tables = Array.from({ length: view.getUint16(12) }, (_, i): WoffTable => {
    const entry = WOFF_HEADER + i * WOFF_ENTRY
    const offset = view.getUint32(entry + 4)
    return {
      tag: view.getUint32(entry),
      checksum: view.getUint32(entry + 16),
      packed: woff.subarray(offset, offset + view.getUint32(entry + 8)),
      length: view.getUint32(entry + 12),
    }
  })
  return { flavor: view.getUint32(4), size: view.getUint32(16), tables }
}

/**
 * Creates the TrueType or OpenType file of a WOFF file.
 *
 * @param unpacked the unpacked bytes of each table, in the order of the tables
 */
export function writeSfnt(
  { flavor, size, tables }: WoffFile,
  unpacked: readonly Uint8Array[],
): Uint8Array<ArrayBuffer> {
  const sfnt = new Uint8Array(size)
  const out = new DataView(sfnt.buffer)
  writeHeader(out, flavor, tables.length)
  let offset = SFNT_HEADER + tables.length * SFNT_ENTRY
  for (const [i, { tag, checksum }] of tables.entries()) {
    const table = unpacked[i] ?? new Uint8Array()
    const record = SFNT_HEADER + i * SFNT_ENTRY
    out.setUint32(record, tag)
    out.setUint32(record + 4, checksum)
    out.setUint32(record + 8, offset)
    out.setUint32(record + 12, table.length)
    sfnt.set(table, offset)
    offset += Math.ceil(table.length / 4) * 4
  }
  return sfnt
}

function writeHeader(out: DataView, flavor: number, tables: number): void {
  const selector = Math.floor(Math.log2(tables))
  out.setUint32(0, flavor)
  out.setUint16(4, tables)
  out.setUint16(6, 2 ** selector * 16)
  out.setUint16(8, selector)
  out.setUint16(10, tables * 16 - 2 ** selector * 16)
}
