import assert from 'node:assert/strict'
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Ajv } from 'ajv'
import { checkDocument } from '../../src/drawing/check-document.ts'
import { DesignDocumentSchema, PrintAreaSchema } from '../../src/drawing/document.ts'
import { startRenderer } from '../../src/rendering/factory.ts'
import { type CorpusEntry, IMAGES, loadCorpus } from './corpus.ts'
import { drawCorpus, preflightOf } from './draw-corpus.ts'
import { type CorpusHashes, changedDesigns, hashesOf, readHashes } from './hashes.ts'

test('every design of the corpus is valid, can be printed, and is warned of what it says', async (t) => {
  const corpus = await loadCorpus()
  assert.equal(corpus.length, 40)
  const ajv = new Ajv({ discriminator: true, strict: false, allErrors: true })
  const isDocument = ajv.compile(DesignDocumentSchema)
  const isPrintArea = ajv.compile(PrintAreaSchema)
  const renderer = startRenderer(t)
  for (const entry of corpus) {
    assert.ok(isDocument(entry.document), `${entry.name}: ${ajv.errorsText(isDocument.errors)}`)
    for (const area of entry.printAreas) assert.ok(isPrintArea(area), `${entry.name}: ${area.id}`)
    assert.deepEqual(checkDocument(entry.document), [], entry.name)
    const { issues } = await preflightOf(entry, renderer)
    const codes = new Set(issues.map(({ severity, code }) => (severity === 'error' ? `error ${code}` : code)))
    assert.deepEqual([...codes].sort(), entry.warnings ?? [], entry.name)
  }
})

test('drawn in other processes, from and to other folders, a design comes out as the same bytes', async (t) => {
  const copy = await mkdtemp(join(tmpdir(), 'platen-corpus-images-'))
  t.after(() => rm(copy, { recursive: true, force: true }))
  await cp(IMAGES, copy, { recursive: true })
  const sample = (corpus: CorpusEntry[]) => corpus.filter((_, index) => index % 5 === 0)
  const [here, there] = [sample(await loadCorpus()), sample(await loadCorpus(copy))]
  assert.deepEqual(hashesOf(there, await drawCorpus(there)), hashesOf(here, await drawCorpus(here)))
})

test('the corpus comes out as the committed hashes say, which were made by another process', async () => {
  const corpus = await loadCorpus()
  const drawn = hashesOf(corpus, await drawCorpus(corpus))
  const committed = readHashes()
  assert.deepEqual(
    [committed.rendererVersion, committed.drawingVersion],
    [drawn.rendererVersion, drawn.drawingVersion],
    'A version was raised: node scripts/corpus-hashes.ts',
  )
  const sources = ({ designs }: CorpusHashes) => Object.entries(designs).map(([name, { source }]) => [name, source])
  assert.deepEqual(sources(committed), sources(drawn), 'A design was changed: node scripts/corpus-hashes.ts')
  assert.deepEqual(changedDesigns(committed, drawn), [], 'These come out as other bytes: see test/corpus/README.md')
})
