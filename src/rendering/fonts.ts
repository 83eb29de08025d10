import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createFontBook, type FontBook, type FontFace, type FontFile, type FontStyleName } from '../drawing/index.ts'
import { woffToSfnt } from './fonts-woff.ts'

/** The font packages, in the order in which they stand in for one another. Adding a family is one line here. */
const PACKAGES = ['@fontsource/inter', '@fontsource/noto-sans-arabic', '@fontsource/noto-sans-devanagari']

/** The fonts of this installation. */
export interface InstalledFonts {
  book: FontBook
  /** The bytes of a face of the book, as TrueType, to register for drawing under the face's `alias`. */
  fileOf(face: FontFace): Uint8Array
}

/**
 * Finds the installed fonts. Only their descriptions are read, which takes a few milliseconds; each font file is read
 * and unpacked when a text first needs it.
 */
export function loadFonts(): InstalledFonts {
  const files = PACKAGES.flatMap(filesOf)
  const loaded = new Map<string, Uint8Array>()
  const book = createFontBook(
    files.map((file) => ({
      ...file,
      load() {
        const font = file.load()
        loaded.set(font.sha256, font.bytes)
        return font
      },
    })),
  )
  return {
    book,
    fileOf(face) {
      // Reading the hash loads the file.
      const bytes = loaded.get(face.sha256)
      if (bytes === undefined) throw new TypeError(`No font file ${face.sha256} in this book`)
      return bytes
    },
  }
}

interface PackageMetadata {
  id: string
  family: string
  subsets: string[]
  weights: number[]
  styles: FontStyleName[]
  defSubset: string
}

function filesOf(packageName: string): FontFile[] {
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve(`${packageName}/metadata.json`))
  const metadata = readJson<PackageMetadata>(join(folder, 'metadata.json'))
  const ranges = readJson<Record<string, string>>(join(folder, 'unicode.json'))
  // The default subset has the blank and the digits, so it comes first.
  const subsets = [metadata.defSubset, ...metadata.subsets.filter((subset) => subset !== metadata.defSubset)]
  return [...metadata.styles].sort(uprightFirst).flatMap((style) =>
    metadata.weights.flatMap((weight) =>
      subsets.map((subset): FontFile => {
        const script = SCRIPTS[subset]
        return {
          family: metadata.family,
          weight,
          style,
          scripts: script === undefined ? [] : [script],
          ranges: parseRanges(ranges[subset] ?? ''),
          load: () => loadFile(join(folder, 'files', `${metadata.id}-${subset}-${weight}-${style}.woff`)),
        }
      }),
    ),
  )
}

/** ISO 15924 codes of the scripts that subsets are named for; symbol subsets have none. */
const SCRIPTS: Readonly<Record<string, string>> = {
  arabic: 'Arab',
  cyrillic: 'Cyrl',
  'cyrillic-ext': 'Cyrl',
  devanagari: 'Deva',
  greek: 'Grek',
  'greek-ext': 'Grek',
  latin: 'Latn',
  'latin-ext': 'Latn',
  vietnamese: 'Latn',
}

function uprightFirst(a: FontStyleName, b: FontStyleName): number {
  return Number(a === 'italic') - Number(b === 'italic')
}

// `U+0000-00FF,U+0131`, as in CSS unicode-range.
function parseRanges(text: string): [number, number][] {
  return text.split(',').map((range) => {
    const [first = '', last = first] = range.replace('U+', '').split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)]
  })
}

// The unpacked font is what is hashed and drawn: it does not depend on how the package compresses it.
function loadFile(path: string): { bytes: Uint8Array; sha256: string } {
  const bytes = woffToSfnt(readFileSync(path))
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(path, 'utf8')) as Value
}
