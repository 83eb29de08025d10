import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { CodePointRanges, FontFile } from '../../drawing/engine.ts'
import { type FontFamily, type FontStyleName, listFamilies } from '../../drawing/index.ts'
import { woffToSfnt } from './woff.ts'

/**
 * The font packages in the order of fallback: families for most texts, families for one script, decorative families. To
 * add a family, add its package here.
 */
const PACKAGES = [
  '@fontsource/inter',
  '@fontsource/noto-sans-arabic',
  '@fontsource/noto-sans-hebrew',
  '@fontsource/noto-sans-devanagari',
  '@fontsource/noto-sans-jp',
  '@fontsource/noto-sans',
  '@fontsource/noto-serif',
  '@fontsource/roboto',
  '@fontsource/montserrat',
  '@fontsource/lora',
  '@fontsource/playfair-display',
  '@fontsource/jetbrains-mono',
  '@fontsource/oswald',
  '@fontsource/bebas-neue',
  '@fontsource/caveat',
  '@fontsource/pacifico',
]

/** An installed family. It has one file for each style and subset. */
export interface InstalledFamily {
  family: string
  category: string
  /** The package and its version, such as `inter@5.3.0`. The files of a release never change. */
  release: string
  /** In the order of fallback, as the subsets. */
  styles: readonly { weight: number; style: FontStyleName }[]
  subsets: readonly Subset[]
  /** The path of a file in WOFF 1.0. */
  pathOf(subset: string, weight: number, style: FontStyleName): string
}

/** Lists the installed families in the order in which a font book tries them, without opening font files. */
export function listInstalledFamilies(): InstalledFamily[] {
  return PACKAGES.map(readFamily)
}

/** Lists the installed font files in the order in which a font book tries them. */
export function listFontFiles(): FontFile[] {
  return listInstalledFamilies().flatMap(({ family, category, styles, subsets, pathOf }) =>
    styles.flatMap(({ weight, style }) =>
      subsets.map(({ name, scripts, ranges }): FontFile => {
        const path = pathOf(name, weight, style)
        return { family, weight, style, scripts, ranges, category, load: () => loadFile(path) }
      }),
    ),
  )
}

let families: readonly FontFamily[] | undefined

/**
 * Lists the families of the installed fonts without opening font files. The result equals `families` of a font book
 * with these files. They are listed once, because the packages do not change while a process runs.
 */
export function installedFamilies(): readonly FontFamily[] {
  families ??= listFamilies(listFontFiles())
  return families
}

interface PackageMetadata {
  id: string
  family: string
  category: string
  subsets: string[]
  weights: number[]
  styles: FontStyleName[]
  defSubset: string
}

/** The files of one subset of a family, in all weights and styles. */
interface Subset {
  /** Unique in the family. */
  name: string
  scripts: readonly string[]
  ranges: CodePointRanges
}

function readFamily(packageName: string): InstalledFamily {
  const require = createRequire(import.meta.url)
  const folder = dirname(require.resolve(`${packageName}/metadata.json`))
  const metadata = readJson<PackageMetadata>(join(folder, 'metadata.json'))
  const { version } = readJson<{ version: string }>(join(folder, 'package.json'))
  const { id, family, category, weights, styles } = metadata
  return {
    family,
    category,
    release: `${id}@${version}`,
    styles: [...styles].sort(uprightFirst).flatMap((style) => weights.map((weight) => ({ weight, style }))),
    subsets: subsetsOf(metadata, readJson<Record<string, string>>(join(folder, 'unicode.json'))),
    pathOf: (subset, weight, style) => join(folder, 'files', `${id}-${subset}-${weight}-${style}.woff`),
  }
}

function subsetsOf({ subsets, defSubset }: PackageMetadata, ranges: Record<string, string>): Subset[] {
  const oneScript = subsets.find((subset) => ONE_SCRIPT.has(subset))
  const useful = oneScript === undefined ? subsets : subsets.filter((s) => s === oneScript || s.startsWith('latin'))
  // The default subset comes first, because it has the blank and the digits.
  const ordered = [defSubset, ...useful.filter((subset) => subset !== defSubset)]
  return ordered.map((name) => ({
    name,
    scripts: SCRIPTS[name] ?? [],
    ranges: parseRanges(ranges[name] ?? WHOLE_FILE_RANGES[name] ?? ''),
  }))
}

/**
 * The names of subsets for one script. A family that has such a subset is made for this script. Apart from Latin, its
 * other files contain only a few signs.
 */
const ONE_SCRIPT: ReadonlySet<string> = new Set(['arabic', 'hebrew', 'japanese'])

/**
 * The ranges of files for which the package states none. Noto Sans JP consists of about a hundred small files, which
 * browsers download one by one, and one complete file without ranges. The service uses the complete file.
 */
const WHOLE_FILE_RANGES: Readonly<Record<string, string>> = {
  japanese: 'U+2100-22FF,U+3000-30FF,U+3400-9FFF,U+F900-FAFF,U+FF00-FFEF,U+20000-2FFFF',
}

/** ISO 15924 codes of the scripts, by the name of the subset. Subsets with extensions or symbols add no script. */
const SCRIPTS: Readonly<Record<string, readonly string[]>> = {
  arabic: ['Arab'],
  cyrillic: ['Cyrl'],
  devanagari: ['Deva'],
  greek: ['Grek'],
  hebrew: ['Hebr'],
  japanese: ['Jpan', 'Hani', 'Hira', 'Kana'],
  latin: ['Latn'],
}

function uprightFirst(a: FontStyleName, b: FontStyleName): number {
  return Number(a === 'italic') - Number(b === 'italic')
}

// Parses the value of `unicode-range` in CSS, such as `U+0000-00FF,U+0131`.
function parseRanges(text: string): CodePointRanges {
  return text.split(',').map((range) => {
    const [first = '', last = first] = range.replace('U+', '').split('-')
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const
  })
}

// The hash is that of the unpacked font, so that it does not depend on how the package compresses its files.
function loadFile(path: string): { bytes: Uint8Array; sha256: string } {
  const bytes = woffToSfnt(readFileSync(path))
  return { bytes, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(path, 'utf8')) as Value
}
