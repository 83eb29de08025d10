import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import {
  createFontBook,
  type FontBook,
  type FontFile,
  layoutText,
  type PreflightInput,
  preflight,
} from '../src/drawing/engine.ts'
import { a6 } from '../src/drawing/factory.ts'
import { type DesignDocument, normalizeDocument, type PlaceholderData, type PrintArea } from '../src/drawing/index.ts'
import { listFontFiles } from '../src/rendering/installed-fonts/installed-fonts.ts'
import { loadCorpus } from './corpus/corpus.ts'
import { noBrowser } from './lib/browser/browser.ts'
import { serveModules } from './lib/browser/browser-modules.ts'
import { buildModules, serveUnderPolicy } from './lib/browser/built-modules.ts'
import { openProfiles } from './lib/browser/shared-browser.ts'

type Drawing = typeof import('../src/drawing/engine.ts')

interface Design {
  name: string
  document: DesignDocument
  printAreas: readonly PrintArea[]
  data?: PlaceholderData
}

/** What an editor shows of a design. The browser and the service both compute it with `look`. */
interface Seen {
  report: unknown
  texts: unknown[]
}

/** A font file without its bytes. The browser fetches the bytes by their hash. */
type ListedFile = Omit<FontFile, 'load'> & { sha256: string | undefined }

// This function is serialized into the page, so it may use only its arguments.
function look(designs: readonly Design[], book: FontBook, drawing: Pick<Drawing, 'preflight' | 'layoutText'>): Seen[] {
  return designs.map(({ document, printAreas, data }) => {
    const filled = data === undefined ? {} : { data }
    const product: PreflightInput['product'] = { status: 'active', printAreas }
    const layers = document.placements.flatMap((placement) => placement.layers)
    const report = drawing.preflight({ document, product, assets: new Map(), fonts: book, ...filled })
    const texts = layers.map((layer) => {
      if (layer.type !== 'text') return null
      const { lines, ...whole } = drawing.layoutText(layer, book)
      const plain = lines.map((line) => ({
        ...line,
        runs: line.runs.map(({ face, ...run }) => ({ ...run, face: face?.sha256 ?? null })),
      }))
      return { ...whole, lines: plain }
    })
    return { report, texts }
  })
}

const WAYS = {
  'with WebAssembly': async (t: TestContext, files: ReadonlyMap<string, Uint8Array>) => ({
    origin: await serveModules(t, files),
    engine: '/src/drawing/engine.ts',
  }),
  'under the policy of the pages, which forbids WebAssembly': async (
    t: TestContext,
    files: ReadonlyMap<string, Uint8Array>,
  ) => {
    const built = await buildModules({ engine: fileURLToPath(new URL('../src/drawing/engine.ts', import.meta.url)) })
    return {
      origin: await serveUnderPolicy(t, new Map<string, Uint8Array | string>([...built, ...files])),
      engine: '/engine.js',
    }
  },
}

for (const [way, serve] of Object.entries(WAYS)) {
  test(`a browser breaks lines, places runs and checks designs exactly as the service does, ${way}`, {
    skip: noBrowser,
    timeout: 110_000,
  }, async (t) => {
    const designs = [...(await corpus()), ...scripts()]
    const { files, listing, book } = recordedFonts()
    const here = look(designs, book, { preflight, layoutText })
    assert.ok(here.some(({ texts }) => texts.length > 0))

    const there = await lookInBrowser(t, designs, listing(), await serve(t, files))
    assert.equal(there.length, here.length)
    for (const [i, seen] of there.entries()) {
      // The expected value is converted to JSON and back, because the browser returns its result as JSON.
      assert.deepEqual(seen, JSON.parse(JSON.stringify(here[i])), designs[i]?.name ?? '')
    }
  })
}

async function lookInBrowser(
  t: TestContext,
  designs: readonly Design[],
  listing: ListedFile[],
  { origin, engine }: { origin: string; engine: string },
): Promise<Seen[]> {
  const page = await (await openProfiles(t)).newPage()
  const complaints: string[] = []
  page.on('pageerror', ({ message }) => complaints.push(message))
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(message.text())
  })
  await page.goto(origin)
  const code = `async ({ designs, listing }) => {
    const look = ${look.toString()}
    const drawing = await import('${engine}')
    const bytes = new Map()
    await Promise.all(listing.filter(({ sha256 }) => sha256 !== undefined).map(async ({ sha256 }) => {
      bytes.set(sha256, new Uint8Array(await (await fetch('/fonts/' + sha256)).arrayBuffer()))
    }))
    const book = drawing.createFontBook(listing.map((file) => ({ ...file, load: () => {
      if (file.sha256 === undefined) throw new Error('The service did not need ' + file.family)
      return { sha256: file.sha256, bytes: bytes.get(file.sha256) }
    } })))
    return JSON.stringify(look(designs, book, drawing))
  }`
  const answer = await page.evaluate(`(${code})(${JSON.stringify({ designs, listing })})`)
  assert.deepEqual(complaints, [])
  return JSON.parse(String(answer)) as Seen[]
}

/** Returns the installed fonts, and a record of the files that were used. */
function recordedFonts() {
  const hashes = new Map<FontFile, string>()
  const files = new Map<string, Uint8Array>()
  const listed = listFontFiles()
  const book = createFontBook(
    listed.map((file) => ({
      ...file,
      load() {
        const font = file.load()
        hashes.set(file, font.sha256)
        files.set(`/fonts/${font.sha256}`, font.bytes)
        return font
      },
    })),
  )
  const listing = () => listed.map(({ load: _, ...file }, i) => ({ ...file, sha256: hashOf(listed[i]) }))
  const hashOf = (file: FontFile | undefined) => (file === undefined ? undefined : hashes.get(file))
  return { book, files, listing }
}

async function corpus(): Promise<Design[]> {
  return (await loadCorpus()).map(({ name, job: { document, printAreas }, data }) => ({
    name,
    document,
    printAreas,
    ...(data === undefined ? {} : { data }),
  }))
}

/** Returns designs with texts that the corpus lacks: long texts of many scripts in boxes that are too small. */
function scripts(): Design[] {
  const texts = [
    'Donau\u00addampf\u00adschiff\u00adfahrt \u202eabc\u202c V\u0302 “I am” 10\u00a0000\u2009km',
    'مرحبا بالعالم، (Platen 2026) ١٢٣ שלום עולם 12% — «abc»',
    'नमस्ते दुनिया, क्षत्रिय एेसा आैर। १२३',
    '「カタログ」、トヨタ。（東京）ー2026年、ABCの漢字！',
    'Ελληνικά, Кириллица, Zażółć gęślą jaźń 😀 👨‍👩‍👧 한국어 \u0378',
  ]
  const styles = [
    { fontFamily: 'Inter', align: 'justify' },
    { fontFamily: 'Lora', fontStyle: 'italic', letterSpacing: 0.15, align: 'center' },
    { fontFamily: 'Caveat', fontWeight: 600, letterSpacing: -0.04, align: 'right', verticalAlign: 'bottom' },
    { fontFamily: 'Nowhere', fontSizePt: 3, lineHeight: 0.8 },
  ] as const
  const layers = styles.flatMap((style, s) =>
    texts.map((text, i) => ({
      ...{ id: `layer-${s}-${i}`, type: 'text' as const, fontSizePt: 11, ...style, text },
      ...{ x: 2 + 20 * i, y: 30 * s, width: 18, height: 14, rotation: 7 * s },
    })),
  )
  const document = normalizeDocument({ version: 1, placements: [{ printAreaId: a6.id, layers }] })
  return [{ name: 'scripts', document, printAreas: [a6] }]
}
