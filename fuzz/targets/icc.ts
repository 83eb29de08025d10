import { hash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buildProfile } from '../../src/rendering/color/build-profile.ts'
import { makeGrayProfile, makeRgbProfile, PRIMARIES, TRANSFERS } from '../../src/rendering/color/make-profile.ts'
import { GRAY_PROFILE, SRGB_OUTPUT_PROFILE, SRGB_PROFILE } from '../../src/rendering/color/srgb.ts'
import { Refused } from '../../src/rendering/errors.ts'
import { postcard } from '../../src/rendering/factory.ts'
import { photo } from '../../src/rendering/images/factory.ts'
import { readWithPngProfile } from '../../src/rendering/images/png-color.ts'
import { inspectProfile } from '../../src/rendering/inspect-profile.ts'
import { drawnAreas } from '../../src/rendering/jobs/areas.ts'
import { drawPrint } from '../../src/rendering/jobs/draw-print.ts'
import { longs } from '../lib/bytes.ts'
import type { CheckContext, Target } from '../lib/target.ts'
import { mutateProfile } from '../mutators/icc.ts'
import { check as checkImage, probeImages } from './images.ts'

/**
 * Creates the target for colour profiles. Each input is used as the output profile of print files, and as a profile in
 * an uploaded image.
 */
export async function icc(): Promise<Target> {
  const carriers = {
    RGB: await photo(16, 12).png().toBuffer(),
    GRAY: await photo(16, 12, 1).toColourspace('b-w').png().toBuffer(),
    CMYK: await photo(16, 12).toColourspace('cmyk').jpeg().toBuffer(),
  }
  return {
    seeds: await seeds(),
    mutate: mutateProfile,
    check: (input, context) => check(input, context, carriers),
    probe: probeImages,
    budgetMs: 3_000,
    covers: /src\/rendering\/(?:images|color|pdf)\/.*/,
  }
}

async function seeds(): Promise<Buffer[]> {
  // libvips contains these profiles. The one for CMYK has lookup tables.
  const brought = ['cmyk', 'p3', 'srgb'].map(async (name) => {
    const file = await photo(4, 4).withIccProfile(name).tiff().toBuffer()
    return iccOfTiff(file)
  })
  const made = [1, 9, 12].flatMap((primaries) =>
    [4, 8, 13].map((transfer) => makeRgbProfile(PRIMARIES[primaries] ?? [], TRANSFERS[transfer] ?? ((x) => x))),
  )
  const all = [SRGB_OUTPUT_PROFILE, SRGB_PROFILE, GRAY_PROFILE, makeGrayProfile((x) => x ** 2), ...made]
  const output = Buffer.from(GRAY_PROFILE)
  output.write('prtr', 12, 'latin1')
  const matrix = Buffer.from(SRGB_PROFILE)
  matrix.write('prtr', 12, 'latin1')
  return [output, matrix, smallCmyk(), ...all, ...(await Promise.all(brought))].filter(
    (profile) => profile !== undefined,
  )
}

/** Builds the profile of a press. Its tables have three points per side. */
function smallCmyk(): Buffer {
  const table = (inputs: number, outputs: number): Buffer => {
    const identity = longs(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x10000)
    const ramp = Buffer.from(Array.from({ length: 256 }, (_, i) => i))
    const cells = Buffer.from(Array.from({ length: 3 ** inputs * outputs }, (_, i) => 255 - ((i * 37) % 256)))
    const head = Buffer.from([...Buffer.from('mft1\0\0\0\0', 'latin1'), inputs, outputs, 3, 0])
    const curves = (count: number) => Array.from({ length: count }, () => ramp)
    return Buffer.concat([head, identity, ...curves(inputs), cells, ...curves(outputs)])
  }
  const tags = [
    ['A2B0', table(4, 3)],
    ['B2A0', table(3, 4)],
  ] as const
  const profile = buildProfile({ deviceClass: 'prtr', colorSpace: 'GRAY', description: 'Press', tags })
  profile.write('CMYKLab ', 16, 'latin1')
  return profile
}

function iccOfTiff(file: Buffer): Buffer | undefined {
  const start = file.readUInt32LE(4)
  for (let i = 0; i < file.readUInt16LE(start); i += 1) {
    const at = start + 2 + i * 12
    if (file.readUInt16LE(at) !== 34675) continue
    const from = file.readUInt32LE(at + 8)
    return Buffer.from(file.subarray(from, from + file.readUInt32LE(at + 4)))
  }
  return undefined
}

async function check(
  input: Buffer,
  context: CheckContext,
  carriers: Readonly<Record<string, Buffer>>,
): Promise<string> {
  const asOutput = await checkOutput(input, context)
  const space = input.toString('latin1', 16, 20).trim()
  const carrier = carriers[space] ?? carriers['RGB'] ?? Buffer.alloc(0)
  const path = join(context.dir, 'carrier')
  writeFileSync(path, carrier)
  const file = carrier[0] === 0xff ? withJpegProfile(carrier, input) : await readWithPngProfile(path, input)
  return `${asOutput}; in an image: ${await checkImage(file, context)}`
}

/** Checks a profile as an output profile: an administrator uploads it, and then each print file contains it. */
async function checkOutput(input: Buffer, { dir, enter }: CheckContext): Promise<string> {
  const path = join(dir, 'profile')
  writeFileSync(path, input)
  enter('upload')
  try {
    const { colorSpace } = await inspectProfile(path)
    enter('draw')
    // Drawing only copies the profile, but takes a hundred times as long as inspecting it, so only one input of 16 is
    // drawn.
    if (hash('sha256', input, 'buffer').readUInt8(0) % 16 !== 0) return `accepted ${colorSpace}`
    const job = { ...postcard({ front: [] }), outputProfile: { path, sha256: hash('sha256', input) } }
    await drawPrint(job, drawnAreas(job), [])
    return `accepted ${colorSpace}`
  } catch (error) {
    if (error instanceof Refused) return `${error.code}: ${error.detail.replaceAll(/\d+|"[^"]*"/g, 'N')}`
    throw error
  }
}

/** Returns a copy of a JPEG file with the given profile, in several segments (ICC.1:2022, B.4). */
function withJpegProfile(file: Buffer, profile: Buffer): Buffer {
  const pieces: Buffer[] = []
  const size = 65_000
  const count = Math.ceil(profile.length / size)
  for (let i = 0; i < Math.min(count, 255); i += 1) {
    const data = profile.subarray(i * size, (i + 1) * size)
    const head = Buffer.from([0xff, 0xe2, 0, 0, ...Buffer.from('ICC_PROFILE\0', 'latin1'), i + 1, count])
    head.writeUInt16BE(data.length + head.length - 2, 2)
    pieces.push(head, data)
  }
  return Buffer.concat([file.subarray(0, 2), ...pieces, file.subarray(2)])
}
