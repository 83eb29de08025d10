import { encode } from 'uqr'
import type { QrLayer } from '../../document/qr-layer.ts'
import type { Rect } from '../../shapes/geometry.ts'
import { qrSize } from './qr-size.ts'

/** A QR code: `size` modules per side without the quiet zone, and its dark modules merged into few rectangles. */
export interface QrCode {
  size: number
  dark: readonly Rect[]
}

/** The width of the quiet zone on each side, in modules: ISO/IEC 18004, section 9.1. */
export const QUIET_ZONE_MODULES = 4

const CACHED_CODES = 500
const cache = new Map<string, QrCode | undefined>()

/** Encodes a text in UTF-8 at exactly the given level. Returns undefined if no version of QR codes can contain it. */
export function qrCode(value: string, errorCorrection: QrLayer['errorCorrection']): QrCode | undefined {
  const key = `${errorCorrection}${value}`
  if (cache.has(key)) return cache.get(key)
  const code = encodeQr(value, errorCorrection)
  if (cache.size >= CACHED_CODES) cache.clear()
  cache.set(key, code)
  return code
}

function encodeQr(value: string, ecc: QrLayer['errorCorrection']): QrCode | undefined {
  if (qrSize(value, ecc) === undefined) return undefined
  const { size, data } = encode(value, { ecc, boostEcc: false, border: 0 })
  return { size, dark: mergedRects(data) }
}

/** Computes the square of a code in its box, in any unit: the largest one in the middle, including the quiet zone. */
export function qrSquare({ width, height }: { width: number; height: number }): Rect {
  const side = Math.min(width, height)
  return { x: (width - side) / 2, y: (height - side) / 2, width: side, height: side }
}

// Merges dark modules: first the runs within a row, then equal runs of consecutive rows.
function mergedRects(rows: readonly (readonly boolean[])[]): Rect[] {
  const rects: Rect[] = []
  let open = new Map<string, Rect>()
  for (const [y, row] of rows.entries()) {
    const still = new Map<string, Rect>()
    for (const { x, width } of darkRuns(row)) {
      const key = `${x} ${width}`
      const rect = open.get(key) ?? { x, y, width, height: 0 }
      rect.height++
      if (rect.height === 1) rects.push(rect)
      still.set(key, rect)
    }
    open = still
  }
  return rects
}

function darkRuns(row: readonly boolean[]): { x: number; width: number }[] {
  const runs: { x: number; width: number }[] = []
  let start = 0
  while (start < row.length) {
    let end = start
    while (row[end] === true) end++
    if (end > start) runs.push({ x: start, width: end - start })
    start = end + 1
  }
  return runs
}
