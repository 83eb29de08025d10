import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { Ajv } from 'ajv'
import { checkDocument } from '../../src/drawing/document/check-document.ts'
import { DesignDocumentSchema, PrintAreaSchema } from '../../src/drawing/document/schema/design-document.ts'
import { createRenderer, type RenderedFile, type Renderer } from '../../src/rendering/index.ts'
import { meanDifference } from '../lib/compare-pixels.ts'
import { openPdf } from '../lib/pdfium.ts'
import { type CorpusEntry, IMAGES, loadCorpus } from './corpus.ts'
import { drawCorpus, drawInto, drawPages, preflightOf, readPrintFile } from './draw-corpus.ts'
import { type CorpusHashes, changedDesigns, hashesOf, readHashes } from './hashes.ts'
import { compareLines } from './read-lines.ts'

let renderer: Renderer
let dir: string
let corpus: CorpusEntry[]
/** The files of each design, by the name of the design. Drawing takes the longest, so all tests share one drawing. */
let drawn: Map<string, RenderedFile[]>

before(async () => {
  renderer = createRenderer({ log: { warn: () => {} } })
  dir = await mkdtemp(join(tmpdir(), 'platen-corpus-'))
  corpus = await loadCorpus()
  drawn = await drawInto(dir, corpus, renderer)
})

after(async () => {
  await renderer.close()
  await rm(dir, { recursive: true, force: true })
})

const printFileOf = ({ name }: CorpusEntry) => readPrintFile(drawn.get(name) ?? [])

test('every design of the corpus is valid and printable, and has exactly its documented warnings', async () => {
  assert.equal(corpus.length, 40)
  const ajv = new Ajv({ discriminator: true, strict: false, allErrors: true })
  const isDocument = ajv.compile(DesignDocumentSchema)
  const isPrintArea = ajv.compile(PrintAreaSchema)
  for (const entry of corpus) {
    assert.ok(isDocument(entry.document), `${entry.name}: ${ajv.errorsText(isDocument.errors)}`)
    for (const area of entry.printAreas) assert.ok(isPrintArea(area), `${entry.name}: ${area.id}`)
    assert.deepEqual(checkDocument(entry.document), [], entry.name)
    const { issues } = await preflightOf(entry, renderer)
    const codes = new Set(issues.map(({ severity, code }) => (severity === 'error' ? `error ${code}` : code)))
    assert.deepEqual([...codes].sort(), entry.warnings ?? [], entry.name)
  }
})

test('drawing a design in another process and folder gives the same bytes', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'platen-corpus-images-'))
  t.after(() => rm(copy, { recursive: true, force: true }))
  await cp(IMAGES, copy, { recursive: true })
  const sample = (designs: CorpusEntry[]) => designs.filter((_, index) => index % 5 === 0)
  const there = sample(await loadCorpus(copy))
  assert.deepEqual(hashesOf(there, await drawCorpus(there)), hashesOf(sample(corpus), drawn))
})

test('the corpus has the committed hashes, which another process made', () => {
  const now = hashesOf(corpus, drawn)
  const committed = readHashes()
  assert.deepEqual(
    [committed.rendererVersion, committed.drawingVersion],
    [now.rendererVersion, now.drawingVersion],
    'A version was raised: node scripts/corpus-hashes.ts',
  )
  const sources = ({ designs }: CorpusHashes) => Object.entries(designs).map(([name, { source }]) => [name, source])
  assert.deepEqual(sources(committed), sources(now), 'A design was changed: node scripts/corpus-hashes.ts')
  assert.deepEqual(changedDesigns(committed, now), [], 'The bytes of these designs changed: see test/corpus/README.md')
})

test('the print file and the preview of a design differ by at most 1 % on average', async () => {
  const compare = async (entry: CorpusEntry) => {
    for (const { printAreaId, fromPdf, preview } of await drawPages(entry, await printFileOf(entry), renderer)) {
      const difference = meanDifference(fromPdf, preview)
      assert.ok(difference < 0.01, `${entry.name}, ${printAreaId}: ${(difference * 100).toFixed(2)} %`)
    }
  }
  // Three comparisons run in parallel, so that the renderer draws previews while others are compared.
  const waiting = [...corpus]
  const lane = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await compare(next)
  }
  await Promise.all([lane(), lane(), lane()])
})

test('each line of text in the print file matches the layout, with the baseline within 0.1 pt', async () => {
  let runCount = 0
  for (const entry of corpus) {
    const { name, job } = entry
    const pdf = await openPdf(await printFileOf(entry))
    for (const [index, printArea] of job.printAreas.entries()) {
      const { runs, stray } = compareLines({ document: job.document, printArea, data: job.data }, pdf.chars(index))
      const differing = runs.filter(({ expected, found }) => expected !== found)
      assert.deepEqual(differing, [], `${name}, ${printArea.id}`)
      assert.deepEqual(stray, [], `${name}, ${printArea.id}`)
      runCount += runs.length
    }
    pdf.close()
  }
  assert.ok(runCount > 1000)
})
