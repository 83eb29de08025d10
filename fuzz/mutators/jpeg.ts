import { mutateBytes, mutateList, mutateNumber, words } from '../lib/bytes.ts'
import type { Random } from '../lib/random.ts'
import { mutateProfile } from './icc.ts'

/** A marker segment. A segment that begins a scan also has the entropy-coded data after it. */
type Segment = { marker: number; data: Buffer; scan: Buffer }

const SOS = 0xda
const MARKERS = [
  0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc9, 0xca, 0xcc, 0xd0, 0xda, 0xdb, 0xdc, 0xdd, 0xde, 0xe0, 0xe1, 0xe2, 0xed,
  0xee, 0xfe,
]
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc3, 0xc5, 0xc9, 0xca])
const NONE = Buffer.alloc(0)
const ICC_TAG = Buffer.from('ICC_PROFILE\0\x01\x01', 'latin1')

/** Changes segments of a JPEG file. The lengths of the segments stay correct. */
export function mutateJpeg(random: Random, input: Buffer, other: Buffer): Buffer {
  let list = segmentsOf(input)
  const theirs = segmentsOf(other)
  const times = 1 + random.below(3)
  for (let i = 0; i < times; i += 1) list = mutateSegments(random, list, theirs)
  const end = random.chance(0.9) ? Buffer.from([0xff, 0xd9]) : NONE
  return Buffer.concat([Buffer.from([0xff, 0xd8]), ...list.map(write), end])
}

function write({ marker, data, scan }: Segment): Buffer {
  return Buffer.concat([Buffer.from([0xff, marker]), words(data.length + 2), data.subarray(0, 0xfffd), scan])
}

function segmentsOf(file: Buffer): Segment[] {
  const found: Segment[] = []
  let at = 2
  while (at + 4 <= file.length && file[at] === 0xff) {
    const marker = file[at + 1] ?? 0
    if (marker === 0xd9) break
    const end = Math.max(at + 4, at + 2 + file.readUInt16BE(at + 2))
    const next = marker === SOS ? endOfScan(file, end) : end
    found.push({ marker, data: Buffer.from(file.subarray(at + 4, end)), scan: Buffer.from(file.subarray(end, next)) })
    at = next
  }
  return found
}

function endOfScan(file: Buffer, start: number): number {
  for (let at = start; at + 1 < file.length; at += 1) {
    const next = file[at + 1] ?? 0
    if (file[at] === 0xff && next !== 0 && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return file.length
}

function mutateSegments(random: Random, list: Segment[], theirs: Segment[]): Segment[] {
  const at = random.below(list.length)
  const chosen = list[at]
  if (chosen === undefined) return theirs
  const replace = (segment: Segment) => list.map((old, index) => (index === at ? segment : old))
  switch (random.below(9)) {
    case 0:
      return mutateList(random, list)
    case 1:
      return replace({ ...chosen, data: mutateBytes(random, chosen.data) })
    case 2:
      return list.map((segment) => (FRAMES.has(segment.marker) ? mutateFrame(random, segment) : segment))
    case 3:
      return list.map((segment) => (segment.scan.length > 0 ? mutateScan(random, segment) : segment))
    case 4:
      return replace({ ...chosen, marker: random.pick(MARKERS) })
    case 5:
      return theirs.length === 0 ? list : [...list.slice(0, at), random.pick(theirs), ...list.slice(at)]
    case 6:
      return [newSegment(random, list), ...list]
    case 7:
      return list.map((segment) =>
        segment.marker === 0xc4 || segment.marker === 0xdb
          ? { ...segment, data: mutateBytes(random, segment.data) }
          : segment,
      )
    default:
      return list.map((segment) =>
        segment.marker === SOS ? { ...segment, data: mutateBytes(random, segment.data, { times: 1 }) } : segment,
      )
  }
}

function mutateFrame(random: Random, segment: Segment): Segment {
  const data = Buffer.from(segment.data)
  if (random.chance(0.3)) mutateNumber(random, data, random.pick([1, 3]), 2)
  if (random.chance(0.2)) data[0] = random.pick([8, 12, 16, 2, 7])
  if (random.chance(0.2)) data[5] = random.below(5)
  const component = 6 + 3 * random.below(4)
  if (random.chance(0.4) && component + 2 < data.length)
    data[component + 1] = random.pick([0x11, 0x12, 0x21, 0x22, 0x41, 0x14, 0x44, 0x31, 0, 0xff])
  const marker = random.chance(0.3) ? random.pick([...FRAMES]) : segment.marker
  return { ...segment, marker, data }
}

function mutateScan(random: Random, segment: Segment): Segment {
  let scan = mutateBytes(random, segment.scan, { times: 1 + random.below(30) })
  if (random.chance(0.2)) {
    const at = random.below(scan.length)
    scan = Buffer.concat([scan.subarray(0, at), Buffer.from([0xff, 0xd0 + random.below(8)]), scan.subarray(at)])
  }
  return { ...segment, scan }
}

function newSegment(random: Random, list: Segment[]): Segment {
  const bytes = (count: number) => Buffer.from(Array.from({ length: count }, () => random.below(256)))
  switch (random.below(6)) {
    case 0:
      return { marker: 0xdd, data: words(random.pick([0, 1, 2, 100, 0xffff])), scan: NONE }
    case 1:
      return {
        marker: 0xee,
        data: Buffer.concat([Buffer.from('Adobe'), bytes(6), Buffer.from([random.below(4)])]),
        scan: NONE,
      }
    case 2: {
      const old = list.find(({ marker, data }) => marker === 0xe2 && data.length > 200)?.data.subarray(ICC_TAG.length)
      const profile = mutateProfile(random, old ?? bytes(200), old ?? NONE)
      return { marker: 0xe2, data: Buffer.concat([ICC_TAG, profile]).subarray(0, 0xfffd), scan: NONE }
    }
    case 3:
      return {
        marker: 0xe1,
        data: Buffer.concat([Buffer.from('Exif\0\0MM\0*\0\0\0\x08', 'latin1'), bytes(60)]),
        scan: NONE,
      }
    case 4:
      return { marker: 0xdc, data: words(random.below(0x10000)), scan: NONE }
    default:
      return { marker: random.pick(MARKERS), data: bytes(random.below(300)), scan: NONE }
  }
}
