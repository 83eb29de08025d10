import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type DesignDocument, normalizeDocument } from '@platen/drawing'
import { layoutText } from '@platen/drawing/engine'
import { listFontFiles } from '../../../../../src/rendering/installed-fonts/installed-fonts.ts'
import type { SourceFile } from './font-source.ts'
import { openPageFonts } from './page-fonts.ts'

function documentOf(text: string, fontFamily = 'Inter'): DesignDocument {
  const layer = { id: 'text', type: 'text' as const, text, fontFamily, fontSizePt: 12 }
  const placement = { printAreaId: 'front', layers: [{ ...layer, x: 0, y: 0, width: 50, height: 20 }] }
  return normalizeDocument({ version: 1, placements: [placement] })
}

/** Opens the installed fonts as in a page. `fails` decides which downloads fail. */
async function openFonts(t: TestContext, options: { fails?: () => boolean; uploaded?: SourceFile[] } = {}) {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const reads: string[][] = []
  const registered: string[] = []
  let together: string[] | undefined
  const installed = listFontFiles().map((file, index): SourceFile => {
    const read = async () => {
      if (together === undefined) {
        together = []
        reads.push(together)
        setImmediate(() => {
          together = undefined
        })
      }
      together.push(`${file.family} ${file.weight}`)
      if (options.fails?.() === true) throw new TypeError('Failed to fetch')
      return new Uint8Array(file.load().bytes)
    }
    return { ...file, key: String(index), read }
  })
  const source = { listInstalled: async () => installed, listUploaded: async () => options.uploaded ?? [] }
  const fonts = await openPageFonts(source, async (family) => {
    registered.push(family)
    return () => void registered.splice(registered.indexOf(family), 1)
  })
  return { fonts, reads, registered }
}

test('a text in several scripts downloads the files that it needs, most of them together, and each once', async (t) => {
  const { fonts, reads, registered } = await openFonts(t)
  const document = documentOf('Hello שלום नमस्ते Ελλ')
  assert.equal(fonts.isReady(document), false)
  assert.deepEqual(await fonts.ready(document), [])
  assert.equal(fonts.isReady(document), true)
  const count = reads.flat().length
  assert.ok(count >= 4 && (reads[0]?.length ?? 0) >= 4, JSON.stringify(reads))
  await fonts.ready(document)
  assert.equal(reads.flat().length, count)
  assert.equal(new Set(registered).size, count)
})

test('a closed editor leaves no font in the page', async (t) => {
  const { fonts, registered } = await openFonts(t)
  await fonts.ready(documentOf('Hello'))
  assert.ok(registered.length > 0)
  fonts.dispose()
  assert.deepEqual(registered, [])
})

test('the families under which files are registered are those with which a text is drawn', async (t) => {
  const { fonts, registered } = await openFonts(t)
  const document = documentOf('Hello')
  await fonts.ready(document)
  const [layer] = document.placements[0]?.layers ?? []
  const layout = fonts.attempt(document, (book) => layer?.type === 'text' && layoutText(layer, book))
  assert.ok(layout)
  assert.deepEqual([...new Set(layout.lines.flatMap(({ runs }) => runs.map(({ face }) => face?.alias)))], registered)
})

test('a file that cannot be loaded is reported, and tried again until it arrives', async (t) => {
  let fails = true
  const { fonts } = await openFonts(t, { fails: () => fails })
  const document = documentOf('Hello')
  const problem = { code: 'fontUnavailable', family: 'Inter', weight: 400, style: 'normal' }
  assert.deepEqual(await fonts.ready(document), [{ ...problem, attempts: 1 }])
  const arrivals = () => new Promise<void>((resolve) => fonts.onChange(resolve))
  let changed = arrivals()
  t.mock.timers.tick(1_000)
  await changed
  assert.deepEqual(fonts.problems, [{ ...problem, attempts: 2 }])
  fails = false
  changed = arrivals()
  t.mock.timers.tick(1_999)
  assert.equal(fonts.isReady(document), false)
  t.mock.timers.tick(1)
  await changed
  assert.deepEqual([fonts.isReady(document), fonts.problems], [true, []])
})

test('work that needs a missing file gives no result, and a listener hears of its arrival', async (t) => {
  const { fonts } = await openFonts(t)
  const document = documentOf('Hello', 'Lora')
  const [layer] = document.placements[0]?.layers ?? []
  const lay = () => fonts.attempt(document, (book) => layer?.type === 'text' && layoutText(layer, book).lines.length)
  const changed = new Promise<void>((resolve) => fonts.onChange(resolve))
  assert.equal(lay(), undefined)
  await changed
  assert.equal(lay(), 1)
  assert.throws(() => fonts.attempt(document, () => assert.fail('another error')), /another error/)
})

test('an uploaded family is used by documents that name it, and listed first', async (t) => {
  const [file] = listFontFiles().filter(({ family }) => family === 'Pacifico')
  assert.ok(file)
  const read = async () => new Uint8Array(file.load().bytes)
  const uploaded = [{ ...file, key: 'own', family: 'Mine', scripts: [], ranges: [[0, 0x10ffff]] as const, read }]
  const { fonts } = await openFonts(t, { uploaded })
  assert.equal(fonts.families[0]?.family, 'Mine')
  const document = documentOf('Hello', 'Mine')
  assert.deepEqual(await fonts.ready(document), [])
  const families = (of: DesignDocument) => fonts.attempt(of, (book) => book.families[0]?.family)
  assert.deepEqual([families(document), families(documentOf('Hello'))], ['Mine', 'Inter'])
})

test('as in the service, an uploaded font is not used for the family of a locked text', async (t) => {
  const [file] = listFontFiles().filter(({ family }) => family === 'Pacifico')
  assert.ok(file)
  const read = async () => new Uint8Array(file.load().bytes)
  const uploaded = [{ ...file, key: 'own', family: 'Inter', ranges: [[0, 0x10ffff]] as const, read }]
  const { fonts } = await openFonts(t, { uploaded })
  const bookOf = (of: DesignDocument) => fonts.attempt(of, (book) => book)
  const locked = (lock: object): DesignDocument => {
    const document = documentOf('Hello')
    const placements = document.placements.map((placement) => ({
      ...placement,
      layers: placement.layers.map((layer) => ({ ...layer, lock })),
    }))
    return { ...document, placements }
  }
  const installed = bookOf(documentOf('Hello', 'Lora'))
  assert.deepEqual(
    [{ edit: true }, { style: true }, { move: true }].map((lock) => bookOf(locked(lock)) === installed),
    [true, true, false],
  )
})
