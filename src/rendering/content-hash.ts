import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { canonicalJson, contentInputs } from '../drawing/engine.ts'

/**
 * Increment this number when a change of the rendering code gives other bytes for the same design. `DRAWING_VERSION` is
 * the number for changes of the drawing code.
 */
export const RENDERER_VERSION = 3

// The libraries of which another version may draw or compress differently. A nested list names a package and the
// package that depends on it.
const LIBRARIES = [
  '@cantoo/pdf-lib',
  ['fflate', '@cantoo/pdf-lib'],
  '@cto.af/linebreak',
  '@napi-rs/canvas',
  'bidi-js',
  'harfbuzzjs',
  'sharp',
  'uqr',
]

let versions: Record<string, string> | undefined

type HashedInputs = Parameters<typeof contentInputs>[0] & {
  /** The output profile. Defaults to sRGB. */
  outputProfile?: { sha256: string }
}

/**
 * Computes the hexadecimal SHA-256 of everything that determines the print file of a design. Images, fonts and profiles
 * count by their content and not by their id. The hash is therefore equal in all installations for the same document,
 * images, fonts, print areas, output profile, renderer and libraries.
 */
export function contentHash({ outputProfile, ...inputs }: HashedInputs): string {
  versions ??= Object.fromEntries(LIBRARIES.map((library) => installedVersion([library].flat())))
  // The Unicode tables of the runtime decide where long words break, and its zlib compresses images, so both versions
  // are part of the hash.
  const { unicode, zlib } = process.versions
  const runtime = { unicode, zlib }
  const content = contentInputs(inputs)
  const everything = {
    content: outputProfile === undefined ? content : { ...content, outputProfile: outputProfile.sha256 },
    renderer: RENDERER_VERSION,
    libraries: versions,
    runtime,
  }
  return createHash('sha256').update(canonicalJson(everything)).digest('hex')
}

function installedVersion(chain: string[]): [name: string, version: string] {
  const path = chain.reduceRight((from, name) => packageFile(name, from), import.meta.url)
  const { name, version } = JSON.parse(readFileSync(path, 'utf8')) as { name: string; version: string }
  return [name, version]
}

function packageFile(name: string, from: string): string {
  const path = findPackageJSON(name, from)
  if (path === undefined) throw new Error(`The package ${name} is not installed`)
  return path
}
