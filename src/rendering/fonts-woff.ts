import { inflateSync } from 'node:zlib'

const WOFF_SIGNATURE = 0x774f4646
const WOFF_HEADER = 44
const WOFF_ENTRY = 20
const SFNT_HEADER = 12
const SFNT_ENTRY = 16

/**
 * Unpacks a WOFF 1.0 file (W3C "WOFF File Format 1.0") into the TrueType or OpenType file in it. The installed fonts
 * are not WOFF 2, although that would be smaller, because neither HarfBuzz nor Node.js can decode its transformed
 * tables.
 * @throws RangeError or TypeError for a file that is not well-formed.
 */
export function woffToSfnt(woff: Uint8Array): Uint8Array {
  const view = new DataView(woff.buffer, woff.byteOffset, woff.byteLength)
  if (view.getUint32(0) !== WOFF_SIGNATURE) throw new TypeError('Not a WOFF file')
  const tables = view.getUint16(12)
  const sfnt = new Uint8Array(view.getUint32(16))
  const out = new DataView(sfnt.buffer)
  writeHeader(out, view.getUint32(4), tables)
  let offset = SFNT_HEADER + tables * SFNT_ENTRY
  for (let i = 0; i < tables; i++) {
    const entry = WOFF_HEADER + i * WOFF_ENTRY
    const table = tableAt(woff, view, entry)
    const record = SFNT_HEADER + i * SFNT_ENTRY
    out.setUint32(record, view.getUint32(entry))
    out.setUint32(record + 4, view.getUint32(entry + 16))
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

function tableAt(woff: Uint8Array, view: DataView, entry: number): Uint8Array {
  const offset = view.getUint32(entry + 4)
  const packedLength = view.getUint32(entry + 8)
  const length = view.getUint32(entry + 12)
  const packed = woff.subarray(offset, offset + packedLength)
  return packedLength < length ? inflateSync(packed) : packed
}
