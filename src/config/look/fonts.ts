import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from '../values/config-error.ts'
import { readOrRefuse } from '../values/files.ts'
import type { Check } from '../values/kinds.ts'
import { type FontTraits, readWoff2 } from './woff2.ts'

const MAX_FILES = 12
const MAX_KIB = 2_048

/** A font file that pages load. */
export interface FontFace extends FontTraits {
  family: string
  path: string
  /** The characters for which a browser loads the file, as in CSS. Default: all. */
  ranges?: string
}

export type FontFile = Omit<FontFace, 'family'>

/** Accepts the path of a WOFF2 file, or of a folder with WOFF2 files. */
export const checkFonts: Check<readonly FontFile[]> = (value, { name }) => {
  const path = resolve(value)
  const isFolder = readOrRefuse(name, path, () => statSync(path)).isDirectory()
  if (!isFolder) return [readFont(name, path)]
  const names = readOrRefuse(name, path, () => readdirSync(path)).filter((file) => file.endsWith('.woff2'))
  if (names.length === 0 || names.length > MAX_FILES) {
    throw new ConfigError(
      name,
      `names "${value}", a folder with ${names.length} .woff2 files. It takes 1 to ${MAX_FILES}.`,
    )
  }
  return names.sort().map((file) => readFont(name, join(path, file)))
}

function readFont(name: string, path: string): FontFile {
  const bytes = readOrRefuse(name, path, () => readFileSync(path))
  if (bytes.length > MAX_KIB * 1024) throw new ConfigError(name, `names "${path}", which has more than ${MAX_KIB} KiB.`)
  try {
    return { path, ...readWoff2(bytes) }
  } catch (error) {
    throw new ConfigError(name, `names "${path}", which ${(error as Error).message}.`)
  }
}

/** Families that come with the service. The packages also serve the drawing of designs. */
const PACKAGES: Readonly<Record<string, string>> = {
  Inter: '@fontsource/inter',
  Lora: '@fontsource/lora',
  Montserrat: '@fontsource/montserrat',
  'Noto Sans': '@fontsource/noto-sans',
  'Noto Serif': '@fontsource/noto-serif',
  Oswald: '@fontsource/oswald',
  'Playfair Display': '@fontsource/playfair-display',
  Roboto: '@fontsource/roboto',
}
const SUBSETS = ['latin', 'latin-ext']
/** Text, and what stands out. Pages load only those that they use. */
const WEIGHTS = ['400', '600']

/** Lists the files of a family that comes with the service. Other families are those of the reader's computer. */
export function readyFaces(family: string): FontFace[] {
  const name = Object.hasOwn(PACKAGES, family) ? PACKAGES[family] : undefined
  if (name === undefined) return []
  const file = createRequire(import.meta.url).resolve(`${name}/unicode.json`)
  const ranges = JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>
  const id = name.split('/')[1] ?? ''
  return SUBSETS.flatMap((subset) =>
    WEIGHTS.map((weight): FontFace => {
      const path = join(dirname(file), 'files', `${id}-${subset}-${weight}-normal.woff2`)
      return { family, path, weight, style: 'normal', ranges: ranges[subset] ?? '' }
    }),
  )
}
