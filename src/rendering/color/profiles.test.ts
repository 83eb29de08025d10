import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCanvas } from '@napi-rs/canvas'
import fc from 'fast-check'
import sharp from 'sharp'
import { scratch } from '../images/factory.ts'
import { openSamples } from '../images/open-image.ts'
import { isSrgbProfile } from './is-srgb.ts'
import { makeRgbProfile, PRIMARIES, TRANSFERS } from './make-profile.ts'
import { describesColors, readProfile } from './read-profile.ts'
import { GRAY_PROFILE, SRGB_OUTPUT_PROFILE, SRGB_PROFILE, srgbToLinear } from './srgb.ts'

sharp.unblock({ operation: ['VipsForeignLoad'] })

const { put } = scratch({ after })

/** Returns colours from all parts of the RGB cube, and every grey. */
function colors(): Buffer {
  const steps = Array.from({ length: 18 }, (_, index) => index * 15)
  const cube = steps.flatMap((r) => steps.flatMap((g) => steps.flatMap((b) => [r, g, b])))
  return Buffer.from([...cube, ...Array.from({ length: 256 }, (_, v) => [v, v, v]).flat()])
}

const pixels = (data: Buffer) => openSamples(data, { width: data.length / 3, height: 1, channels: 3 })

function difference(a: Buffer, b: Buffer): { max: number; mean: number } {
  assert.equal(a.length, b.length)
  const differences = Array.from(a, (value, index) => Math.abs(value - (b[index] ?? 0)))
  return { max: Math.max(...differences), mean: differences.reduce((sum, value) => sum + value, 0) / a.length }
}

// lcms, which printing software also uses, computes the conversions. Rounding alone causes a difference of 1.
for (const [what, profile] of Object.entries({ output: SRGB_OUTPUT_PROFILE, plain: SRGB_PROFILE })) {
  test(`the ${what} profile is sRGB in both directions, for all colours and greys`, async () => {
    const path = put(profile)
    const there = await pixels(colors()).withIccProfile(path, { attach: false }).raw().toBuffer()
    const to = difference(there, colors())
    assert.ok(to.max <= 1 && to.mean < 0.02, JSON.stringify(to))

    const tagged = await pixels(colors()).withIccProfile(path).tiff({ compression: 'none' }).toBuffer()
    const stored = await sharp(tagged, { ignoreIcc: true }).raw().toBuffer()
    assert.deepEqual((await sharp(tagged).metadata()).icc, profile)
    const from = difference(await sharp(tagged).toColourspace('srgb').raw().toBuffer(), stored)
    assert.ok(from.max <= 1 && from.mean < 0.02, JSON.stringify(from))
  })
}

test('the output profile is a small profile of an output device with tables for every intent', () => {
  const profile = readProfile(SRGB_OUTPUT_PROFILE)
  assert.equal(profile?.deviceClass, 'prtr')
  const wanted = ['desc', 'cprt', 'wtpt', 'A2B0', 'A2B1', 'A2B2', 'B2A0', 'B2A1', 'B2A2', 'gamt']
  assert.deepEqual([...(profile?.tags.keys() ?? [])], wanted)
  assert.ok(SRGB_OUTPUT_PROFILE.length < 12_000)
})

test('sRGB is recognized by its numbers, not by its name', async () => {
  const made = (primaries: number, transfer: number) =>
    makeRgbProfile(PRIMARIES[primaries] ?? [], TRANSFERS[transfer] ?? ((x) => x)) ?? Buffer.alloc(0)
  assert.equal(isSrgbProfile(SRGB_PROFILE), true)
  assert.equal(isSrgbProfile(made(1, 13)), true)
  assert.equal(isSrgbProfile(made(1, 8)), false)
  assert.equal(isSrgbProfile(made(1, 4)), false)
  assert.equal(isSrgbProfile(made(12, 13)), false)
  assert.equal(isSrgbProfile(GRAY_PROFILE), false)
  assert.equal(isSrgbProfile(SRGB_OUTPUT_PROFILE), false)
  for (const [name, expected] of [
    ['srgb', true],
    ['p3', false],
  ] as const) {
    const tagged = await pixels(colors()).withIccProfile(name).tiff().toBuffer()
    const { icc = Buffer.alloc(0) } = await sharp(tagged).metadata()
    assert.equal(isSrgbProfile(icc), expected, name)
  }
  // Skia writes the curve as a parametric curve with all seven parameters.
  const { icc: ofCanvas = Buffer.alloc(0) } = await sharp(put(createCanvas(1, 1).toBuffer('image/jpeg'))).metadata()
  assert.equal(isSrgbProfile(ofCanvas), true)
})

test('primaries that span no colours give no profile', () => {
  const point = [0.3, 0.3] as const
  assert.equal(makeRgbProfile([point, point, point, point], srgbToLinear), undefined)
})

test('the reader of profiles accepts or rejects any bytes without throwing', () => {
  const sound = [SRGB_PROFILE, SRGB_OUTPUT_PROFILE, GRAY_PROFILE]
  const change = fc.record({ at: fc.nat(600), value: fc.nat(255) })
  fc.assert(
    fc.property(
      fc.constantFrom(...sound),
      fc.array(change, { maxLength: 8 }),
      fc.nat(10_000),
      (profile, changes, end) => {
        const bytes = Buffer.from(profile.subarray(0, end))
        if (bytes.length >= 4) bytes.writeUInt32BE(bytes.length)
        for (const { at, value } of changes) if (at < bytes.length) bytes[at] = value
        const read = readProfile(bytes)
        if (read !== undefined) describesColors(read)
        isSrgbProfile(bytes)
      },
    ),
    { numRuns: 300 },
  )
})
