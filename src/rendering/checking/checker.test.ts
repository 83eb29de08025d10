import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { until } from '../../../test/lib/until.ts'
import { RenderQueueFull, renderFaultOf } from '../errors.ts'
import { POSTCARD } from '../factory.ts'
import { loadFonts } from '../installed-fonts/fonts.ts'
import { installedFamilies } from '../installed-fonts/installed-fonts.ts'
import { makeFont, makeSlow, tableOf } from '../user-fonts/factory.ts'
import { type Checker, createChecker, DocumentTooComplex, type Excess } from './checker.ts'
import { codesIn, documentJsonOf, jobFont, jobOf, LONG, makeLarge, startChecker, textIn } from './factory.ts'

const FULL_MEMORY = new URL('./full-memory.fixture.ts', import.meta.url)
const STRICKEN = new URL('./crashing.fixture.ts', import.meta.url)
const NOT_STARTING = new URL('./not-starting.fixture.ts', import.meta.url)

const isTooComplex = (excess: Excess, layer: number) => (error: unknown) =>
  error instanceof DocumentTooComplex && error.excess === excess && error.layer === layer

const works = async (checker: Checker) => codesIn(await checker.preflight(jobOf([textIn('Inter')])))

test('the installed families are listed as the font book lists them, without opening a font', () => {
  assert.deepEqual(installedFamilies(), loadFonts().book.families)
})

/** Edits a font so that every glyph is five em wide. */
function widen(tables: ReadonlyMap<string, Uint8Array>): void {
  const widths = tableOf(tables, 'hmtx')
  const unitsPerEm = tableOf(tables, 'head').getUint16(18)
  for (let i = 0; i < tableOf(tables, 'hhea').getUint16(34); i += 1) widths.setUint16(i * 4, 5 * unitsPerEm)
}

test('a text is checked with the fonts of its owner, separately for each job', async (t) => {
  const checker = await startChecker(t, { processes: 1 })
  const mine = await jobFont(t, 'Mine', await makeFont())
  const wide = await jobFont(t, 'Mine', await makeFont({ edit: widen }))
  const job = (fonts: Parameters<typeof jobOf>[1]) =>
    jobOf([textIn('Mine', 'iiiiiiii', { width: 10, height: 6 })], fonts)
  assert.deepEqual(codesIn(await checker.preflight(job([mine]))), [])
  assert.deepEqual(codesIn(await checker.preflight(job([]))), ['font_unknown'])
  assert.deepEqual(codesIn(await checker.preflight(job([wide]))), ['text_overflow'])
  assert.deepEqual(codesIn(await checker.preflight(job([mine]))), [])
})

test('any number of owners with slow fonts leave one process to others', async (t) => {
  const checker = await startChecker(t, { processes: 3, deadlineMs: 1_000 })
  const hostile = jobOf([textIn('Slow', LONG)], [await jobFont(t, 'Slow', await makeSlow())])
  let ended = 0
  const check = (owner: string) =>
    assert.rejects(checker.preflight(hostile, { owner }), isTooComplex('time', 0)).then(() => {
      ended += 1
    })
  // After these checks, both owners are known to be slow.
  await Promise.all(['first', 'second'].map(check))
  const again = ['first', 'second', 'first', 'second'].map(check)
  assert.deepEqual(codesIn(await checker.preflight(jobOf([textIn('Inter')]), { owner: 'other' })), [])
  assert.equal(ended, 2)
  await Promise.all(again)
})

test('a document that takes too long is stopped and its layer named; others are checked during and after it', async (t) => {
  const checker = await startChecker(t, { processes: 3, deadlineMs: 2_000 })
  const slow = await jobFont(t, 'Slow', await makeSlow())
  const hostile = jobOf([textIn('Inter'), textIn('Slow', LONG)], [slow])
  let ended = false
  const checks = [1, 2, 3].map(() =>
    assert.rejects(checker.preflight(hostile, { owner: 'hostile' }), isTooComplex('time', 1)),
  )
  const first = checks[0]?.then(() => {
    ended = true
  })
  assert.deepEqual(codesIn(await checker.preflight(jobOf([textIn('Inter')]), { owner: 'other' })), [])
  assert.equal(ended, false)
  await Promise.all([first, ...checks])
  assert.deepEqual(await works(checker), [])
})

test('content hashes and values that take too long are stopped', async (t) => {
  const checker = await startChecker(t, { processes: 1, deadlineMs: 500 })
  const fonts = [await jobFont(t, 'Slow', await makeSlow())]
  const hashed = { documentJson: documentJsonOf([textIn('Slow', LONG)]), printAreas: POSTCARD, assets: {}, fonts }
  await assert.rejects(checker.contentHash(hashed), isTooComplex('time', 0))
  const documentJson = documentJsonOf([textIn('Inter'), textIn('Slow', '{{a}}{{a}}{{a}}{{a}}{{a}}')])
  const values = [{ a: 'x' }, { a: LONG.slice(0, 2000) }]
  const job = { documentJson, printAreas: POSTCARD, fonts, values, work: 1_000_000, faults: 50 }
  const error: unknown = await checker.checkValues(job).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof DocumentTooComplex)
  assert.deepEqual([error.excess, error.layer, error.values], ['time', 1, 1])
})

test('positions and faults of values are counted over all jobs', async (t) => {
  const checker = await startChecker(t, { processes: 1, deadlineMs: 1_000 })
  const fonts = [await jobFont(t, 'Slow', await makeSlow())]
  const documentJson = documentJsonOf([textIn('Inter', '{{a}}', { fontSizePt: 4 }), textIn('Slow', '{{b}}{{b}}{{b}}')])
  const values = Array.from({ length: 15 }, () => ({ a: 'x '.repeat(1000), b: '' }))
  const check = (changes: Record<number, { a?: string; b?: string }>, faults = 50) => {
    const changed = values.map((one, index) => ({ ...one, ...changes[index] }))
    const job = { documentJson, printAreas: POSTCARD, fonts, values: changed, work: 1_000_000, faults }
    return checker.checkValues(job)
  }
  const [early, late] = [{ a: 'A\u0378' }, { a: 'B\u0378' }]
  const { faults, work } = await check({ 2: early, 12: late })
  assert.deepEqual(
    faults.map((found) => found.map(({ code }) => code)),
    values.map((_, index) => (index === 2 || index === 12 ? ['glyphs_missing'] : [])),
  )
  assert.ok(1_000_000 - work > 13 * 2000)
  assert.equal((await check({ 2: early, 12: late }, 1)).faults.length, 3)
  const error: unknown = await check({ 12: { b: LONG.slice(0, 3000) } }).catch((thrown: unknown) => thrown)
  assert.ok(error instanceof DocumentTooComplex)
  assert.deepEqual([error.excess, error.layer, error.values], ['time', 1, 12])
})

test('the fonts of one document have a size limit, and fonts of earlier documents are closed', async (t) => {
  const checker = await startChecker(t, { processes: 1 })
  const bytes = await makeLarge(30)
  const families = ['A', 'B', 'C', 'D']
  const fonts = await Promise.all(families.map((family) => jobFont(t, family, bytes)))
  const layers = families.map((family) => textIn(family))
  await assert.rejects(checker.preflight(jobOf(layers, fonts)), isTooComplex('fonts', 3))
  // Each job opens another font. Together, the fonts exceed the memory of a process.
  for (let round = 0; round < 8; round += 1) {
    const named = fonts.map((font) => ({ ...font, family: `${font.family}${round}` }))
    for (const font of named)
      assert.deepEqual(codesIn(await checker.preflight(jobOf([textIn(font.family)], [font]))), [])
  }
})

test('a document that takes too much memory is stopped and its layer named, and the next one is checked', async (t) => {
  const checker = await startChecker(t, { processes: 1, memoryLimitMb: 200 })
  const bytes = await makeLarge(45)
  const fonts = [await jobFont(t, 'A', bytes), await jobFont(t, 'B', bytes)]
  const job = jobOf([textIn('Inter'), textIn('A'), textIn('B', LONG)], fonts)
  await assert.rejects(
    checker.preflight(job),
    (error) => error instanceof DocumentTooComplex && error.excess === 'memory',
  )
  assert.deepEqual(await works(checker), [])
})

// Without the check of `malloc`, the font would overwrite data of HarfBuzz, and later results would be wrong.
test('if HarfBuzz runs out of memory, its process ends, and another one checks the next document', async (t) => {
  const checker = await startChecker(t, { processes: 1, module: FULL_MEMORY })
  const job = jobOf([textIn('Inter'), textIn('Large')], [await jobFont(t, 'Large', await makeLarge(30))])
  await assert.rejects(checker.preflight(job), isTooComplex('crash', 1))
  assert.deepEqual(await works(checker), [])
})

// The process may have waited for a processor or a disk. `renderFaultOf` classifies the error as `busy`, so that the
// client repeats the request.
test('a document is not at fault if its process exceeds wall-clock time only', async (t) => {
  const checker = await startChecker(t, { processes: 1, module: STRICKEN, timeoutMs: 5_000 })
  const documentJson = documentJsonOf([textIn('Inter')])
  const hashing = checker.contentHash({ documentJson, printAreas: POSTCARD, assets: {}, fonts: [] })
  await assert.rejects(hashing, (error) => renderFaultOf(error) === 'busy')
  assert.deepEqual(await works(checker), [])
})

// When memory runs out, the kernel may kill a process that did not cause the shortage.
test('a document is not at fault if its process is killed from outside', async (t) => {
  const checker = await startChecker(t, { processes: 1, module: STRICKEN })
  const job = { documentJson: documentJsonOf([textIn('Inter', '{{a}}')]), printAreas: POSTCARD, fonts: [] }
  const checking = checker.checkValues({ ...job, values: [{ a: 'x' }], work: 1_000, faults: 50 })
  await assert.rejects(checking, (error) => renderFaultOf(error) === 'busy')
  assert.deepEqual(await works(checker), [])
})

test('jobs beyond the queue limit of an owner are rejected, and jobs of others run', async (t) => {
  const checker = await startChecker(t, { processes: 1, maxQueuePerOwner: 2 })
  const run = (owner: string) => checker.preflight(jobOf([textIn('Inter')]), { owner })
  const outcomes = await Promise.allSettled([...'aaaaab'].map((owner) => run(owner)))
  const refused = outcomes.filter((one) => one.status === 'rejected' && one.reason instanceof RenderQueueFull)
  assert.equal(refused.length, 2)
  assert.equal(outcomes.at(-1)?.status, 'fulfilled')
})

test('a checker whose processes cannot start reports that it does not work', async (t) => {
  const checker = createChecker({ processes: 1, module: NOT_STARTING, log: { warn: () => {} } })
  t.after(() => checker.close())
  await until('the report', async () => !(await checker.isWorking()))
})

test('a checker whose processes are all busy with documents reports that it works', async (t) => {
  const checker = await startChecker(t, { processes: 1, deadlineMs: 3_000 })
  const fonts = [await jobFont(t, 'Slow', await makeSlow())]
  const busy = Promise.allSettled([1, 2].map(() => checker.preflight(jobOf([textIn('Slow', LONG)], fonts))))
  assert.equal(await checker.isWorking(), true)
  await busy
  assert.equal(await checker.isWorking(), true)
})

/** Lists all modules that load when the given modules are imported. */
async function modulesOf(...modules: string[]): Promise<string[]> {
  const addresses = modules.map((module) => new URL(module, import.meta.url).href)
  const script = `
    import { registerHooks } from 'node:module'
    const seen = []
    registerHooks({ load: (url, context, next) => { seen.push(url); return next(url, context) } })
    for (const module of ${JSON.stringify(addresses)}) await import(module)
    // An exit does not wait for output that the pipe has not taken yet.
    process.stdout.write(JSON.stringify(seen), () => process.exit())
  `
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  return JSON.parse(stdout)
}

// The process that serves requests must not load code that opens fonts or shapes text.
test('the service does not load HarfBuzz or text layout; the checking processes do', async () => {
  const isLayout = (url: string) =>
    /harfbuzzjs|drawing\/engine\.ts|drawing\/text\/layout\.ts|preflight\/preflight\.ts/.test(url)
  const service = await modulesOf('../../commands/serve/serve.ts', '../../commands/orders/orders.ts')
  assert.ok(service.some((url) => url.endsWith('rendering/checking/checker.ts')))
  assert.deepEqual(service.filter(isLayout), [])
  assert.ok((await modulesOf('./open-fonts.ts')).some(isLayout))
})
