import assert from 'node:assert/strict'
import { truncateSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { until } from '../../../test/lib/until.ts'
import { fullBleed, jobImage, postcard } from '../factory.ts'
import { MAX_DECODING_BYTES, withDecoder } from '../images/decoding-memory.ts'
import { photo, pngClaiming, scratch } from '../images/factory.ts'
import { inspectImage } from '../images/inspect-image.ts'
import { connectPoolMemory, continueWithMemory, UNCLAIMED_BYTES } from '../pool/pool-memory.ts'
import type { HashedPrintJob, JobImage } from '../types.ts'
import { drawPreview } from './draw-preview.ts'
import { drawThumbnail } from './draw-thumbnail.ts'
import { printDesign } from './print-design.ts'

const MIB = 1024 * 1024
/** The memory of a decoder that processes an image row by row. */
const ROWS_BYTES = 64 * MIB

let claims: { claim: number; bytes: number }[] = []

/** Starts work, and expects that it does nothing until the pool grants its only claim. Returns the bytes of the claim. */
async function claimOf(work: () => Promise<unknown>): Promise<number> {
  claims = []
  let hasEnded = false
  const done = work().then(
    () => undefined,
    (error: unknown) => error,
  )
  void done.then(() => {
    hasEnded = true
  })
  await until('the claim', async () => claims.length > 0 || hasEnded)
  await new Promise((resolve) => setTimeout(resolve, 50))
  // The images of these tests are damaged, so the work would have failed.
  assert.ok(!hasEnded, 'the work began without its memory')
  const [first] = claims
  assert.ok(first !== undefined)
  continueWithMemory(first.claim)
  assert.ok((await done) instanceof Error)
  assert.deepEqual(claims.slice(1), [{ claim: first.claim, bytes: 0 }], 'a job has one claim, and gives it back')
  return first.bytes
}

/** A damaged image whose decoder needs `bytes`, more than a job has without a claim. */
const LARGE = { file: pngClaiming(10_000, 3_000, 'heavy interlaced'), bytes: 10_000 * 3_000 * 8 }

function design(t: TestContext) {
  const { dir, put } = scratch(t)
  connectPoolMemory((message) => {
    if ('claim' in message) claims.push(message)
  })
  // Further tests run in the same process.
  t.after(() => connectPoolMemory(undefined))
  const padded = (file: Buffer, bytes: number) => {
    const path = put(file)
    truncateSync(path, bytes)
    return path
  }
  const jobOf = (paths: readonly string[], fonts: HashedPrintJob['fonts'] = []) => {
    const images: Record<string, JobImage> = Object.fromEntries(paths.map((path, i) => [`image-${i}`, jobImage(path)]))
    const job = postcard({ front: Object.keys(images).map(fullBleed) }, images)
    return { ...job, fonts, printAreaId: 'front', widthPx: 100, format: 'png' as const }
  }
  return { dir, put, padded, jobOf }
}

test('a preview claims the memory of its two largest images before it decodes them', async (t) => {
  const { put, jobOf } = design(t)
  const ordinary = put(pngClaiming(100, 100))
  const claimed = await claimOf(() => drawPreview(jobOf([ordinary, put(LARGE.file), ordinary])))
  assert.equal(claimed, LARGE.bytes + ROWS_BYTES - UNCLAIMED_BYTES)
})

test('a preview claims the memory of its fonts or of its images, whichever is more, because it opens fonts later', async (t) => {
  const { put, padded, jobOf } = design(t)
  const font = (mib: number) => {
    const path = padded(Buffer.alloc(0), mib * MIB)
    return { family: 'Large', weight: 400, style: 'normal' as const, path, sha256: 'f0'.repeat(32) }
  }
  const [image, few, many] = [put(LARGE.file), [font(20)], [font(20), font(40)]]
  assert.equal(await claimOf(() => drawPreview(jobOf([], many))), 9 * 60 * MIB - UNCLAIMED_BYTES)
  assert.equal(await claimOf(() => drawPreview(jobOf([image], few))), LARGE.bytes - UNCLAIMED_BYTES)
  // Both the image and the font are damaged.
  await assert.rejects(drawPreview(jobOf([put(pngClaiming(100, 100))], few)), (error: Error) => {
    assert.doesNotMatch(error.message, /SHA-256/)
    return true
  })
})

test('a print file also claims the memory for the images that it contains, and for the file itself', async (t) => {
  const { dir, put, padded, jobOf } = design(t)
  // A print file contains progressive JPEGs unchanged, too.
  const [baseline, progressive] = await Promise.all(
    [false, true].map((isProgressive) => photo(64, 64).jpeg({ progressive: isProgressive }).toBuffer()),
  )
  assert.ok(baseline !== undefined && progressive !== undefined)
  const paths = [padded(baseline, 40 * MIB), padded(progressive, 30 * MIB), put(pngClaiming(100, 100))]
  const claimed = await claimOf(() => printDesign(jobOf(paths), dir))
  const printed = 2 * (70 * MIB + pngClaiming(100, 100).length)
  assert.equal(claimed, printed + 2 * ROWS_BYTES - UNCLAIMED_BYTES)
})

test('a print file claims the memory of the samples of an image that it converts', async (t) => {
  const { dir, put, jobOf } = design(t)
  const webp = await photo(4_000, 3_000).webp({ quality: 1 }).toBuffer()
  const paths = [put(webp), put(pngClaiming(100, 100))]
  const claimed = await claimOf(() => printDesign(jobOf(paths), dir))
  const decoded = 2 * 4_000 * 3_000 * 8
  // The image is reduced to 300 dpi, in the proportions of the photo.
  const printed = claimed - decoded + UNCLAIMED_BYTES - 2 * pngClaiming(100, 100).length
  assert.ok(printed > 2 * 3 * 1_000_000 && printed < 2 * 3 * 4_000 * 3_000, String(printed))
})

test('inspections and thumbnails of an image claim its memory', async (t) => {
  const { put } = design(t)
  const path = put(LARGE.file)
  assert.equal(await claimOf(() => inspectImage(path)), LARGE.bytes - UNCLAIMED_BYTES)
  assert.equal(await claimOf(() => drawThumbnail({ path })), LARGE.bytes - UNCLAIMED_BYTES)
})

test('a job that fails ends when none of its images is being decoded any more', async (t) => {
  const { dir, put, jobOf } = design(t)
  const slow = await photo(2_500, 2_000).webp({ quality: 1 }).toBuffer()
  const damaged = jobOf([put(pngClaiming(100, 100)), put(slow)])
  const job = jobOf([put(slow)])
  // Print files verify hashes, previews do not.
  const images = Object.fromEntries(Object.entries(job.images).map(([id, image]) => [id, { ...image, sha256: '00' }]))
  for (const draw of [() => drawPreview(damaged), () => printDesign({ ...job, images }, dir)]) {
    await assert.rejects(draw())
    // Work that goes on has begun to decode by now.
    await new Promise((resolve) => setTimeout(resolve, 20))
    let hasBegun = false
    // This needs all of the memory, so it would wait for another image.
    const next = withDecoder(MAX_DECODING_BYTES, async () => {
      hasBegun = true
    })
    assert.ok(hasBegun)
    await next
  }
})
