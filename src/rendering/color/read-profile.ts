const HEADER_BYTES = 128
const TAG_BYTES = 12
const MAX_TAGS = 100
/**
 * The largest profile that a print file may include. Profiles of presses have about 2 MiB, those of cameras a few KiB.
 */
export const MAX_PROFILE_BYTES = 4 * 1024 * 1024

const COLOR_SPACES = ['RGB', 'GRAY', 'CMYK'] as const
export type IccColorSpace = (typeof COLOR_SPACES)[number]

export type IccProfile = {
  colorSpace: IccColorSpace
  /** `prtr` is an output device, `mntr` a display, `scnr` an input device and `spac` a colour space. */
  deviceClass: string
  /** The name in the profile, as one line of text. Empty if the profile has no readable name. */
  description: string
  tags: ReadonlyMap<string, Buffer>
}

/**
 * Reads the structure of an ICC profile of version 2 or 4 (ICC.1:2022, section 7). Returns undefined for an invalid
 * profile: its length differs from the header, a tag lies outside the file, has no type or exists twice, or PDF does not support its
 * colour space or connection space.
 */
export function readProfile(bytes: Buffer): IccProfile | undefined {
  if (bytes.length < HEADER_BYTES + 4 || bytes.length > MAX_PROFILE_BYTES) return undefined
  if (bytes.readUInt32BE(0) !== bytes.length || ascii(bytes, 36, 40) !== 'acsp') return undefined
  if (bytes[8] !== 2 && bytes[8] !== 4) return undefined
  const colorSpace = COLOR_SPACES.find((name) => name === ascii(bytes, 16, 20).trimEnd())
  if (colorSpace === undefined || !/^(?:XYZ |Lab )$/.test(ascii(bytes, 20, 24))) return undefined
  const tags = readTags(bytes)
  if (tags === undefined) return undefined
  return { colorSpace, deviceClass: ascii(bytes, 12, 16), description: describe(tags.get('desc')), tags }
}

/**
 * Tells whether PDF can use a profile as an ICCBased colour space (ISO 32000-1, section 8.6.5.5): the class of the
 * profile describes colours, and the profile has the tags that the conversion needs.
 */
export function describesColors({ colorSpace, deviceClass, tags }: IccProfile): boolean {
  if (!['mntr', 'scnr', 'prtr', 'spac'].includes(deviceClass)) return false
  if (tags.has('A2B0')) return true
  if (colorSpace === 'GRAY') return tags.has('kTRC')
  return colorSpace === 'RGB' && ['rXYZ', 'gXYZ', 'bXYZ', 'rTRC', 'gTRC', 'bTRC'].every((tag) => tags.has(tag))
}

function readTags(bytes: Buffer): Map<string, Buffer> | undefined {
  const count = bytes.readUInt32BE(HEADER_BYTES)
  if (count > MAX_TAGS || HEADER_BYTES + 4 + count * TAG_BYTES > bytes.length) return undefined
  const tags = new Map<string, Buffer>()
  for (let index = 0; index < count; index += 1) {
    const entry = HEADER_BYTES + 4 + index * TAG_BYTES
    const start = bytes.readUInt32BE(entry + 4)
    const end = start + bytes.readUInt32BE(entry + 8)
    if (start < HEADER_BYTES || end < start + 8 || end > bytes.length) return undefined
    const name = ascii(bytes, entry, entry + 4)
    // Readers disagree about which of two tags of one name applies.
    if (tags.has(name)) return undefined
    tags.set(name, bytes.subarray(start, end))
  }
  return tags
}

/**
 * Reads the text of a `desc` tag. Version 2 stores ASCII. Version 4 stores a list of languages in UTF-16, of which the
 * first one is used.
 */
function describe(tag: Buffer | undefined): string {
  if (tag === undefined || tag.length < 12) return ''
  if (ascii(tag, 0, 4) === 'desc') return oneLine(ascii(tag, 12, 12 + tag.readUInt32BE(8)))
  if (ascii(tag, 0, 4) !== 'mluc' || tag.length < 28) return ''
  const [length, offset] = [tag.readUInt32BE(20), tag.readUInt32BE(24)]
  const text = tag.subarray(offset, offset + length)
  return oneLine(
    Buffer.from(text.subarray(0, text.length & ~1))
      .swap16()
      .toString('utf16le'),
  )
}

function oneLine(text: string): string {
  return text
    .replace(/\0.*$/s, '')
    .toWellFormed()
    .replace(/[\p{C}\p{Z}]+/gu, ' ')
    .trim()
    .slice(0, 200)
}

function ascii(bytes: Buffer, start: number, end: number): string {
  return bytes.toString('latin1', start, end)
}
