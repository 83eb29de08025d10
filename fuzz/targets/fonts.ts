import { hash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import decompressWoff2 from 'woff2-encoder/decompress'
import { createFontBook, joinFontBooks, preflight } from '../../src/drawing/engine.ts'
import { fonts as installed } from '../../src/drawing/factory.ts'
import { normalizeDocument } from '../../src/drawing/index.ts'
import { Refused } from '../../src/rendering/errors.ts'
import { POSTCARD } from '../../src/rendering/factory.ts'
import { drawnAreas } from '../../src/rendering/jobs/areas.ts'
import { drawPreview } from '../../src/rendering/jobs/draw-preview.ts'
import { drawPrint } from '../../src/rendering/jobs/draw-print.ts'
import { withJobFonts } from '../../src/rendering/jobs/drawing-fonts.ts'
import type { HashedPrintJob } from '../../src/rendering/types.ts'
import { makeFont } from '../../src/rendering/user-fonts/factory.ts'
import { type FontInfo, inspectFont } from '../../src/rendering/user-fonts/inspect-font.ts'
import { buildSfnt } from '../../src/rendering/user-fonts/sfnt/tables.ts'
import { createRandom } from '../lib/random.ts'
import type { CheckContext, Target } from '../lib/target.ts'
import { cffTable } from '../mutators/cff.ts'
import { layoutTable } from '../mutators/layout.ts'
import { mutateFont, tablesOf } from '../mutators/sfnt.ts'
import { mutateWoff2 } from '../mutators/woff2.ts'

const require = createRequire(import.meta.url)

/**
 * Small font files of families that need different shaping: kerning, contextual letters, joined and stacked scripts.
 */
const FILES = [
  'bebas-neue/files/bebas-neue-latin-400-normal',
  'caveat/files/caveat-latin-400-normal',
  'inter/files/inter-latin-400-normal',
  'lora/files/lora-latin-400-italic',
  'noto-sans-arabic/files/noto-sans-arabic-arabic-400-normal',
  'noto-sans-devanagari/files/noto-sans-devanagari-devanagari-400-normal',
  'noto-sans-hebrew/files/noto-sans-hebrew-hebrew-400-normal',
  'oswald/files/oswald-vietnamese-400-normal',
  'pacifico/files/pacifico-latin-400-normal',
  'jetbrains-mono/files/jetbrains-mono-latin-400-normal',
]

const TEXT = [
  'Sphinx of black quartz, judge my vow: AVAToyfiffl ffi 0123456789 1/2 e\u0301o\u0302\u0323 n\u0303 \u00c5\u00df ',
  'مرحبا بالعالم لا إله 123 ',
  'शृंगार क्षत्रिय ज्ञान हिन्दी र्क ',
  'שָׁלוֹם עוֹלָם ',
  'aaaaaaaaaaaaaaaaaaaaaaaa\u200daa\ufe0f A\u0338 \u{1f600} Ti\u1ec7ng Vi\u1ec7t ',
].join('')
const LONG_TEXT = TEXT.repeat(6)

/**
 * Creates the target for fonts. Each input is inspected as an upload. If it is accepted, long texts are laid out as in
 * a save, and drawn as in a print file.
 */
export async function fonts(): Promise<Target> {
  const files = await Promise.all(FILES.map(async (name) => Buffer.from(await decompressWoff2(readWoff2(name)))))
  const made = await Promise.all([0, 1].map((seed) => madeFont(seed)))
  return target([...files, ...made], mutateFont)
}

/** Creates the target for WOFF2 files, which are unpacked by code of their own. The checks are those of `fonts`. */
export async function woff2(): Promise<Target> {
  return target(FILES.map(readWoff2), mutateWoff2)
}

async function madeFont(seed: number): Promise<Buffer> {
  const random = createRandom(seed, 0)
  const tables = tablesOf(await makeFont())
  const numGlyphs = tables.get('maxp')?.readUInt16BE(4) ?? 1
  if (seed === 0) {
    for (const tag of ['glyf', 'loca']) tables.delete(tag)
    tables.set('CFF ', cffTable(random, numGlyphs))
  } else tables.set('GSUB', layoutTable(random, numGlyphs, 'GSUB'))
  return Buffer.from(buildSfnt(tables))
}

function readWoff2(name: string): Buffer {
  return readFileSync(require.resolve(`@fontsource/${name}.woff2`))
}

function target(seeds: readonly Buffer[], mutate: Target['mutate']): Target {
  const known = readWoff2(FILES[0] ?? '')
  return {
    seeds,
    mutate,
    check,
    async probe() {
      const sfnt = await decompressWoff2(known)
      const shaped = createFontBook([{ ...KNOWN, load: () => ({ bytes: sfnt, sha256: hash('sha256', sfnt) }) }])
      const [face] = shaped.facesFor({ family: 'Known', weight: 400, style: 'normal' })
      if (face === undefined) return 'no face'
      const run = shaped.shape({ face, text: TEXT.slice(0, 80), direction: 'ltr', spaced: false })
      const [latin] = installed.facesFor({ family: 'Inter', weight: 400, style: 'normal' })
      const other =
        latin && installed.shape({ face: latin, text: `AVA ${TEXT}`.slice(0, 300), direction: 'ltr', spaced: true })
      return hash('sha256', JSON.stringify([face.sha256, run, other?.advances]))
    },
    budgetMs: 2_000,
    covers: /src\/(?:rendering\/(?:user-fonts|pdf)|drawing\/text)\/.*/,
  }
}

const KNOWN = { family: 'Known', weight: 400, style: 'normal', scripts: [], ranges: [[0, 0x10ffff]] } as const

async function check(input: Buffer, { dir, enter }: CheckContext): Promise<string> {
  const [path, unpackedPath] = [join(dir, 'upload'), join(dir, 'font')]
  writeFileSync(path, input)
  rmSync(unpackedPath, { force: true })
  enter('upload')
  try {
    const info = await inspectFont({ path, unpackedPath })
    if (!existsSync(unpackedPath)) throw new Error('The font was accepted, but not written')
    return await use(info, { path: unpackedPath, dir, enter })
  } catch (error) {
    if (error instanceof Refused) return `${error.code}: ${error.detail.replaceAll(/"[^"]*"|\d+/g, 'N')}`
    throw error
  }
}

async function use(info: FontInfo, { path, enter }: { path: string } & CheckContext): Promise<string> {
  const { family, weight, style, sha256 } = info
  const layer = {
    type: 'text',
    fontFamily: family,
    fontWeight: Math.min(900, Math.max(100, Math.round(weight))),
    fontStyle: style,
    x: 5,
    width: 95,
  } as const
  const document = normalizeDocument({
    version: 1,
    placements: [
      {
        printAreaId: 'front',
        layers: [
          { ...layer, id: 'long', y: 5, height: 120, fontSizePt: 7, text: LONG_TEXT, align: 'justify' },
          {
            ...layer,
            id: 'spaced',
            y: 130,
            height: 12,
            fontSizePt: 9,
            text: 'Ab {{name}} fi\u00ad fl',
            letterSpacing: 0.1,
          },
        ],
      },
    ],
  })
  enter('preflight')
  const bytes = readFileSync(path)
  const own = createFontBook([
    { family, weight, style, scripts: [], ranges: [[0, 0x10ffff]], load: () => ({ sha256, bytes }) },
  ])
  const book = joinFontBooks(own, installed)
  const product = { status: 'active', printAreas: POSTCARD }
  const report = preflight({ document, product, assets: new Map(), fonts: book, withFixes: false })
  enter('draw')
  const fontFile = { family, weight, style, path, sha256 }
  const job: HashedPrintJob = {
    document,
    printAreas: POSTCARD.slice(0, 1),
    images: {},
    fonts: [fontFile],
    contentHash: 'c0'.repeat(32),
  }
  await withJobFonts(job.fonts, () => drawPrint(job, drawnAreas(job), []))
  await drawPreview({ ...job, printAreaId: 'front', widthPx: 100, format: 'png' })
  const codes = [...new Set(report.issues.map(({ code }) => code))].sort().join(' ')
  return `accepted ${info.mediaType} ${info.embedding} ${info.scripts.join(' ')}; ${codes}`
}
