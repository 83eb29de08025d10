const HAS_WORDS = 0x0001
const HAS_SCALE = 0x0008
const MORE_PARTS = 0x0020
const HAS_XY_SCALE = 0x0040
const HAS_MATRIX = 0x0080

/** One component of a composite glyph. */
export interface GlyphPart {
  at: number
  flags: number
  glyph: number
}

/**
 * Reads the components of a composite glyph (OpenType, "glyf") and the position after them.
 *
 * @throws RangeError for a truncated glyph
 */
export function readParts(glyf: DataView, start: number, limit: number): { parts: GlyphPart[]; end: number } {
  const parts: GlyphPart[] = []
  let at = start + 10
  for (let more = true; more; ) {
    if (at + 4 > limit) throw new RangeError('A glyph is truncated')
    const flags = glyf.getUint16(at)
    parts.push({ at, flags, glyph: glyf.getUint16(at + 2) })
    at += 4 + placingBytes(flags)
    more = (flags & MORE_PARTS) !== 0
  }
  if (at > limit) throw new RangeError('A glyph is truncated')
  return { parts, end: at }
}

function placingBytes(flags: number): number {
  const position = flags & HAS_WORDS ? 4 : 2
  if (flags & HAS_SCALE) return position + 2
  if (flags & HAS_XY_SCALE) return position + 4
  return flags & HAS_MATRIX ? position + 8 : position
}
