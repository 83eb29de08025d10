import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import fc from 'fast-check'
import { type FontRefusal, Refused, RenderFailed } from '../errors.ts'
import { postcard, startRenderer, text } from '../factory.ts'
import type { Renderer } from '../renderer.ts'
import type { HashedPrintJob, JobFont } from '../types.ts'
import { installedWoff2, makeFont, makeMirrored, writeFont } from './factory.ts'

async function jobFont(t: TestContext, bytes: Uint8Array, naming: Partial<JobFont> = {}): Promise<JobFont> {
  const { path } = await writeFont(t, bytes)
  return { family: 'Mine', weight: 400, style: 'normal', path, sha256: hash('sha256', bytes), ...naming }
}

async function print(t: TestContext, renderer: Renderer, job: HashedPrintJob): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-print-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  return (await renderer.print(job, dir)).map(({ sha256 }) => sha256)
}

const job = (fonts?: JobFont[]): HashedPrintJob => ({
  ...postcard({ front: [text('Whose font is this?', { y: 20, fontFamily: 'Mine' })] }),
  ...(fonts === undefined ? {} : { fonts }),
})

test('if two accounts have a family of the same name, each uses its own, and other accounts use neither', async (t) => {
  const shared = startRenderer(t)
  const hers = await jobFont(t, await makeFont())
  const his = await jobFont(t, await makeMirrored())
  // Prints in a new process, which has drawn nothing before.
  const fresh = async (fonts?: JobFont[]) => print(t, startRenderer(t), job(fonts))
  const [expectedHis, expectedNobodys] = await Promise.all([fresh([his]), fresh()])

  const drawnHers = await print(t, shared, job([hers]))
  assert.deepEqual(await print(t, shared, job()), expectedNobodys)
  assert.deepEqual(await print(t, shared, job([his])), expectedHis)
  assert.deepEqual(await print(t, shared, job([hers])), drawnHers)
  assert.deepEqual(await print(t, shared, job()), expectedNobodys)
  assert.equal(new Set([drawnHers[0], expectedHis[0], expectedNobodys[0]]).size, 3)
})

test('a replaced font file is not used for drawing', async (t) => {
  const font = await jobFont(t, await makeFont())
  await writeFile(font.path, await makeMirrored())
  await assert.rejects(print(t, startRenderer(t), job([font])), RenderFailed)
})

test('a font that takes too long or too much memory is rejected, and the next one is inspected', async (t) => {
  const file = await writeFont(t, await makeFont())
  const refusedBy = async (renderer: Renderer) =>
    renderer.inspectFont(file).then(
      () => 'accepted',
      (error: Refused<FontRefusal>) => error.code,
    )
  assert.equal(await refusedBy(startRenderer(t, { timeoutMs: 1 })), 'font_too_complex')
  assert.equal(await refusedBy(startRenderer(t, { memoryLimitMb: 40 })), 'font_too_large')
  assert.equal(await refusedBy(startRenderer(t)), 'accepted')
})

test('a damaged font file is either rejected or usable for printing', async (t) => {
  const renderer = startRenderer(t)
  const sources = [await makeFont(), await installedWoff2()]
  const faults = fc.array(
    fc.record({
      at: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      byte: fc.integer({ min: 0, max: 255 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  const property = fc.asyncProperty(fc.constantFrom(...sources), faults, async (source, changes) => {
    const bytes = Buffer.from(source)
    // Half of the faults are in the first bytes, which contain the headers and the table directory.
    for (const [i, { at, byte }] of changes.entries()) bytes[Math.floor(at * (i % 2 === 0 ? 400 : bytes.length))] = byte
    const file = await writeFont(t, bytes)
    const info = await renderer.inspectFont(file).catch((error: unknown) => {
      assert.ok(error instanceof Refused, String(error))
      return undefined
    })
    if (info === undefined) return
    const kept = await readFile(file.unpackedPath)
    assert.equal(info.sha256, hash('sha256', kept))
    await print(t, renderer, job([{ ...(await jobFont(t, kept)), weight: info.weight, style: info.style }]))
  })
  await fc.assert(property, { numRuns: 60 })
})
