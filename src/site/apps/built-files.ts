import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { extname, join } from 'node:path'
import { readWeightedValues } from '../../platform/http/input/weighted-values.ts'

const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
  '.json': 'application/json',
}

/** The encodings in the order of preference, with the extension of the compressed file. */
const ENCODINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** One form of a file on the disk. */
export interface FileForm {
  path: string
  bytes: number
  encoding?: 'br' | 'gzip'
}

export interface BuiltFile {
  type: string
  /** With the quotes. Each encoding has its own entity tag (RFC 9110, section 8.8.3). */
  etagOf(form: FileForm): string
  plain: FileForm
  compressed: readonly FileForm[]
}

/** The build of the browser applications: `npm run web`. */
export interface BuiltFiles {
  /** By URL path, such as `/static/shop-1a2b.js`. */
  files: ReadonlyMap<string, BuiltFile>
  /** The HTML of the shop, with `%SHOP_NAME%` where its name goes. Undefined if nothing is built. */
  shopHtml: string | undefined
  /** The HTML of the console, in the same way. */
  consoleHtml: string | undefined
}

/** Lists the built files. Their content stays on the disk until a client requests it. */
export function listBuiltFiles(folder: string): BuiltFiles {
  const files = new Map<string, BuiltFile>()
  for (const part of ['static', 'embed']) {
    for (const name of namesIn(join(folder, part))) {
      const type = TYPES[extname(name)]
      if (type !== undefined) files.set(`/${part}/${name}`, describe(join(folder, part, name), type))
    }
  }
  const htmlOf = (application: string): string | undefined => readOptional(join(folder, application, 'index.html'))
  return { files, shopHtml: htmlOf('shop'), consoleHtml: htmlOf('console') }
}

function describe(path: string, type: string): BuiltFile {
  const compressed = ENCODINGS.flatMap(([encoding, extension]) => {
    const stat = statSync(path + extension, { throwIfNoEntry: false })
    return stat === undefined ? [] : [{ path: path + extension, bytes: stat.size, encoding }]
  })
  let hash: string | undefined
  return {
    type,
    plain: { path, bytes: statSync(path).size },
    compressed,
    etagOf({ encoding }) {
      hash ??= createHash('sha256').update(readFileSync(path)).digest('hex').slice(0, 32)
      return encoding === undefined ? `"${hash}"` : `"${hash}-${encoding}"`
    },
  }
}

/** Chooses the form of a file by the header `Accept-Encoding`. */
export function chooseForm({ plain, compressed }: BuiltFile, accepted = ''): FileForm {
  const codings = readWeightedValues(accepted.toLowerCase())
  const isAccepted = (encoding: string): boolean =>
    codings.some(({ value, weight }) => value === encoding && weight > 0)
  return compressed.find(({ encoding }) => encoding !== undefined && isAccepted(encoding)) ?? plain
}

function namesIn(folder: string): string[] {
  return statSync(folder, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(folder)
}

function readOptional(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false }) === undefined ? undefined : readFileSync(path, 'utf8')
}
