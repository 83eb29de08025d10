import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { createRenderer, type Renderer } from '../../src/rendering/index.ts'
import { meanDifference } from '../lib/compare-pixels.ts'
import { openPdf } from '../lib/pdfium.ts'
import { type CorpusEntry, loadCorpus } from './corpus.ts'
import { drawPages, readPrintFile } from './draw-corpus.ts'
import { compareLines } from './read-lines.ts'

let renderer: Renderer
let printFiles: (readonly [CorpusEntry, Uint8Array])[]

before(async () => {
  renderer = createRenderer({ log: { warn: () => {} } })
  const dir = await mkdtemp(join(tmpdir(), 'platen-corpus-'))
  const draw = async (entry: CorpusEntry) => {
    const outDir = join(dir, entry.name)
    await mkdir(outDir)
    return [entry, await readPrintFile(await renderer.print(entry.job, outDir))] as const
  }
  printFiles = await Promise.all((await loadCorpus()).map(draw))
  await rm(dir, { recursive: true })
})

after(() => renderer.close())

test('the print file and the preview of a design show the same, within 1 % of mean difference', async () => {
  const compare = async ([entry, pdf]: readonly [CorpusEntry, Uint8Array]) => {
    for (const { printAreaId, fromPdf, preview } of await drawPages(entry, pdf, renderer)) {
      const difference = meanDifference(fromPdf, preview)
      assert.ok(difference < 0.01, `${entry.name}, ${printAreaId}: ${(difference * 100).toFixed(2)} %`)
    }
  }
  // A few at a time: previews are drawn while others are compared.
  const waiting = [...printFiles]
  const lane = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await compare(next)
  }
  await Promise.all([lane(), lane(), lane()])
})

test('each line of text in the print file says what the layout says, on the same baseline within 0.1 pt', async () => {
  let runCount = 0
  for (const [{ name, job }, bytes] of printFiles) {
    const pdf = await openPdf(bytes)
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
