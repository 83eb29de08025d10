import { hash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import process from 'node:process'
import sharp from 'sharp'
import { type DesignDocumentInput, normalizeDocument, type PrintArea } from '../../src/drawing/index.ts'
import { contentHash } from '../../src/rendering/content-hash.ts'
import type { HashedPrintJob, JobImage } from '../../src/rendering/index.ts'
import { loadFonts } from '../../src/rendering/installed-fonts/fonts.ts'
import type { JobProfile } from '../../src/rendering/types.ts'

/** A design of the corpus, in the form of its JSON file. */
export interface CorpusFile {
  title: string
  /** What the design shows, for a person who looks at it. */
  description: string
  printAreas: PrintArea[]
  /** The image files in `images/`, by the asset ids of the document. */
  images?: Record<string, string>
  data?: Record<string, string>
  /** The output profile of the print file: the CMYK profile that sharp contains. */
  outputProfile?: 'cmyk'
  /** The codes of the preflight warnings that are expected, each once. No design has an error. */
  warnings?: string[]
  document: DesignDocumentInput
}

export interface CorpusEntry extends CorpusFile {
  name: string
  job: HashedPrintJob
}

const DOCUMENTS = join(import.meta.dirname, 'documents')
export const IMAGES = join(import.meta.dirname, 'images')

export const corpusFonts = loadFonts().book

/** Loads all designs of the corpus, in the order of their names and ready to be drawn. */
export async function loadCorpus(imageFolder = IMAGES): Promise<CorpusEntry[]> {
  const cmyk = await cmykProfile()
  return readdirSync(DOCUMENTS)
    .sort()
    .map((file) => {
      const entry = JSON.parse(readFileSync(join(DOCUMENTS, file), 'utf8')) as CorpusFile
      return { ...entry, name: basename(file, '.json'), job: jobOf(entry, imageFolder, cmyk) }
    })
}

let profile: JobProfile | undefined

/**
 * Writes the CMYK profile that sharp contains to a file. sharp embeds this profile into an image, from which the
 * function reads it.
 */
async function cmykProfile(): Promise<JobProfile> {
  if (profile !== undefined) return profile
  const folder = mkdtempSync(join(tmpdir(), 'platen-corpus-profile-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const pixel = sharp({ create: { width: 1, height: 1, channels: 3, background: '#000000' } })
  const image = join(folder, 'pixel.tiff')
  await pixel.toColourspace('cmyk').withIccProfile('cmyk').toFile(image)
  const { icc } = await sharp(image).metadata()
  if (icc === undefined) throw new Error('The image library has no CMYK profile')
  profile = { path: join(folder, 'cmyk.icc'), sha256: hash('sha256', icc) }
  writeFileSync(profile.path, icc)
  return profile
}

function jobOf(file: CorpusFile, folder: string, cmyk: JobProfile): HashedPrintJob {
  const { document: input, printAreas, images: files = {}, data, outputProfile } = file
  const document = normalizeDocument(input)
  const images = Object.fromEntries(Object.entries(files).map(([id, file]) => [id, imageFile(join(folder, file))]))
  const filled = data === undefined ? {} : { data }
  const assets = new Map(Object.entries(images))
  const more = { ...filled, ...(outputProfile === undefined ? {} : { outputProfile: cmyk }) }
  const content = contentHash({ document, printAreas, assets, fonts: corpusFonts, ...more })
  return { document, printAreas, images, ...more, contentHash: content }
}

function imageFile(path: string): JobImage {
  return { path, sha256: hash('sha256', readFileSync(path)) }
}
