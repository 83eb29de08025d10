export type JpegStream = {
  /** The bytes from SOI to EOI without metadata, such as the place where a photo was taken, and without data after it. */
  bytes: Buffer
  widthPx: number
  heightPx: number
  components: 1 | 3
  icc: Buffer | undefined
}

const DHT = 0xc4
const DQT = 0xdb
const DRI = 0xdd
const APP0 = 0xe0
const SOI = 0xd8
const EOI = 0xd9
const SOS = 0xda
const APP2 = 0xe2
const APP14 = 0xee
/**
 * Baseline, extended and progressive frames with Huffman coding, which DCTDecode supports (ISO 32000-1, section 7.4.8).
 */
const HUFFMAN_FRAMES = new Set([0xc0, 0xc1, 0xc2])
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcd, 0xce, 0xcf])
/** Segments with EXIF, XMP, IPTC, comments and data of programs. The others state how the image is to be decoded. */
const METADATA = new Set([0xe1, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9, 0xea, 0xeb, 0xec, 0xed, 0xef, 0xfe])
/**
 * All segments that a stream may contain. Decoders differ in how they read others, such as markers without a length
 * outside a scan, so that one file could show several images.
 */
const ORDINARY = new Set([...METADATA, ...FRAMES, DHT, DQT, DRI, SOS, EOI, APP0, APP2, APP14])
const ICC_TAG = 'ICC_PROFILE\0'

/** Segments can be four bytes long, so that a file could have millions. A progressive photo has less than a hundred. */
const MAX_SEGMENTS = 10_000

type Frame = { widthPx: number; heightPx: number; components: 1 | 3; ids: number[] }

/**
 * Reads the structure of a JPEG file (ITU-T T.81, annex B) without decoding the image.
 *
 * Returns undefined if a PDF reader could not show the stream unchanged:
 * - more than 8 bits per sample, or arithmetic coding
 * - more than three components, or three components that are not YCbCr
 * - missing Huffman tables, as in frames of Motion JPEG: libjpeg has default tables, other decoders do not
 * - several frames, or segments that decoders read differently
 * - colours that are stated behind the first scan, where decoders that have begun the image no longer read them
 * - far more segments than cameras and programs write
 * - an invalid structure
 */
export function readJpegStream(file: Buffer): JpegStream | undefined {
  let frame: Frame | undefined
  let adobeTransform: number | undefined
  const iccChunks: Buffer[] = []
  const tables = new Set<number>()
  const kept: Buffer[] = []
  let keptTo = 0

  let count = 0
  let hasScan = false
  for (const { marker, data, end } of segments(file)) {
    count += 1
    if (count > MAX_SEGMENTS || !ORDINARY.has(marker)) return undefined
    if (hasScan && (marker === APP2 || marker === APP14)) return undefined
    if (METADATA.has(marker)) {
      kept.push(file.subarray(keptTo, end - data.length - 4))
      keptTo = end
    } else if (FRAMES.has(marker)) {
      // Readers differ in which of several frames they show, so such a file is converted.
      if (frame !== undefined) return undefined
      frame = HUFFMAN_FRAMES.has(marker) ? readFrame(data) : undefined
      if (frame === undefined) return undefined
    } else if (marker === DHT) {
      for (const table of tablesIn(data)) tables.add(table)
    } else if (marker === SOS) {
      hasScan = true
      if (!tablesNeeded(data).every((table) => tables.has(table))) return undefined
    } else if (marker === APP14 && data.toString('latin1', 0, 5) === 'Adobe') {
      adobeTransform = data[11]
    } else if (marker === APP2 && data.toString('latin1', 0, ICC_TAG.length) === ICC_TAG) {
      iccChunks[data[ICC_TAG.length] ?? 0] = data.subarray(ICC_TAG.length + 2)
    } else if (marker === EOI) {
      if (frame === undefined || !isUsualColor(frame, adobeTransform)) return undefined
      const { widthPx, heightPx, components } = frame
      const icc = iccChunks.length === 0 ? undefined : Buffer.concat(Object.values(iccChunks))
      const last = file.subarray(keptTo, end)
      const bytes = kept.length === 0 ? last : Buffer.concat([...kept, last])
      return { bytes, widthPx, heightPx, components, icc }
    }
  }
  return undefined
}

type Segment = { marker: number; data: Buffer; end: number }

/** Yields the segments of a JPEG file up to EOI. Ends early if a length points outside the file. */
function* segments(file: Buffer): Generator<Segment> {
  let at = 2
  if (file[0] !== 0xff || file[1] !== SOI) return
  while (at + 4 <= file.length + 2) {
    if (file[at] !== 0xff) return
    const marker = file[at + 1]
    if (marker === undefined) return
    if (marker === 0xff) {
      at += 1
      continue
    }
    if (marker === EOI) {
      yield { marker, data: file.subarray(at, at), end: at + 2 }
      return
    }
    if (at + 4 > file.length) return
    const end = at + 2 + file.readUInt16BE(at + 2)
    if (end > file.length || end < at + 4) return
    yield { marker, data: file.subarray(at + 4, end), end }
    at = marker === SOS ? endOfScan(file, end) : end
  }
}

/** Finds the end of entropy-coded data: the first marker other than a stuffed zero or a restart marker. */
function endOfScan(file: Buffer, start: number): number {
  let at = file.indexOf(0xff, start)
  while (at !== -1) {
    const next = file[at + 1]
    if (next === undefined) break
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
    at = file.indexOf(0xff, next === 0xff ? at + 1 : at + 2)
  }
  return file.length
}

const AC_TABLE = 0x10

/** Lists the Huffman tables that a segment defines, each by its class and number (ITU-T T.81, section B.2.4.2). */
function tablesIn(data: Buffer): number[] {
  const found: number[] = []
  for (let at = 0; at + 17 <= data.length; ) {
    found.push(data.readUInt8(at))
    const values = data.subarray(at + 1, at + 17).reduce((sum, count) => sum + count, 0)
    at += 17 + values
  }
  return found
}

/**
 * Lists the Huffman tables that a decoder needs for a scan (ITU-T T.81, section B.2.3). Refining DC coefficients needs
 * no table (section G.1.2.1.2).
 */
function tablesNeeded(data: Buffer): number[] {
  const components = data[0] ?? 0
  const [first, last, approximation] = data.subarray(1 + components * 2)
  const isFirstOfDc = first === 0 && (approximation ?? 0) >> 4 === 0
  return Array.from({ length: components }, (_, index) => data[2 + index * 2] ?? 0).flatMap((choice) => [
    ...(isFirstOfDc ? [choice >> 4] : []),
    ...(last === 0 ? [] : [AC_TABLE | (choice & 15)]),
  ])
}

function readFrame(data: Buffer): Frame | undefined {
  const components = data[5]
  if (data[0] !== 8 || (components !== 1 && components !== 3) || data.length < 6 + components * 3) return undefined
  const ids = Array.from({ length: components }, (_, index) => data.readUInt8(6 + index * 3))
  return { heightPx: data.readUInt16BE(1), widthPx: data.readUInt16BE(3), components, ids }
}

/**
 * Tells whether a PDF reader interprets the components correctly. If the Adobe marker does not state otherwise, a
 * reader assumes that three components are YCbCr, but some encoders store RGB.
 */
function isUsualColor({ ids }: Frame, adobeTransform: number | undefined): boolean {
  if (ids.length === 1) return true
  return adobeTransform === 1 || (adobeTransform === undefined && String.fromCharCode(...ids) !== 'RGB')
}
