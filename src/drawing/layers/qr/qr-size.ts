import type { QrLayer } from '../../document/qr-layer.ts'

// The number of data codewords of versions 1 to 40, from ISO/IEC 18004, table 7.
const DATA_CODEWORDS = {
  L: [
    19, 34, 55, 80, 108, 136, 156, 194, 232, 274, 324, 370, 428, 461, 523, 589, 647, 721, 795, 861, 932, 1006, 1094,
    1174, 1276, 1370, 1468, 1531, 1631, 1735, 1843, 1955, 2071, 2191, 2306, 2434, 2566, 2702, 2812, 2956,
  ],
  M: [
    16, 28, 44, 64, 86, 108, 124, 154, 182, 216, 254, 290, 334, 365, 415, 453, 507, 563, 627, 669, 714, 782, 860, 914,
    1000, 1062, 1128, 1193, 1267, 1373, 1455, 1541, 1631, 1725, 1812, 1914, 1992, 2102, 2216, 2334,
  ],
  Q: [
    13, 22, 34, 48, 62, 76, 88, 110, 132, 154, 180, 206, 244, 261, 295, 325, 367, 397, 445, 485, 512, 568, 614, 664,
    718, 754, 808, 871, 911, 985, 1033, 1115, 1171, 1231, 1286, 1354, 1426, 1502, 1582, 1666,
  ],
  H: [
    9, 16, 26, 36, 46, 60, 66, 86, 100, 122, 140, 158, 180, 197, 223, 253, 283, 313, 341, 385, 406, 442, 464, 514, 538,
    596, 628, 661, 701, 745, 793, 845, 901, 961, 986, 1054, 1096, 1142, 1222, 1276,
  ],
} as const

const MODE_INDICATOR_BITS = 4

/** The text as one segment in one of the modes of ISO/IEC 18004, section 7.4. */
interface Segment {
  dataBits: number
  /** Bits of the character count indicator in versions 1 to 9, 10 to 26 and 27 to 40, from ISO/IEC 18004, table 3. */
  countBits: readonly [number, number, number]
}

/**
 * Computes the modules per side of a QR code without the quiet zone. Returns undefined if no version can hold the text.
 * Encoding the text to get the size would take a thousand times as long.
 */
export function qrSize(value: string, errorCorrection: QrLayer['errorCorrection']): number | undefined {
  const segment = segmentOf(value)
  const index = DATA_CODEWORDS[errorCorrection].findIndex((codewords, i) => bitsOf(segment, i + 1) <= 8 * codewords)
  return index === -1 ? undefined : 17 + 4 * (index + 1)
}

// Returns the whole text as one segment in the most compact mode that has all its characters, as the encoder does. An
// empty text has no segment.
function segmentOf(value: string): Segment | undefined {
  const { length } = value
  if (length === 0) return undefined
  if (/^\d*$/.test(value)) return { dataBits: Math.ceil((10 * length) / 3), countBits: [10, 12, 14] }
  if (/^[A-Z0-9 $%*+./:-]*$/.test(value)) return { dataBits: Math.ceil((11 * length) / 2), countBits: [9, 11, 13] }
  return { dataBits: 8 * new TextEncoder().encode(value).length, countBits: [8, 16, 16] }
}

function bitsOf(segment: Segment | undefined, version: number): number {
  if (segment === undefined) return 0
  const [first, second, third] = segment.countBits
  const countBits = version < 10 ? first : version < 27 ? second : third
  return MODE_INDICATOR_BITS + countBits + segment.dataBits
}
