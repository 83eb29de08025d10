import { rm, stat } from 'node:fs/promises'
import type { DesignDocument, PlaceholderData } from '../../drawing/index.ts'
import type { Admission, Storage } from '../../platform/storage/index.ts'
import type { PrintArea } from '../../products/index.ts'
import type { DocumentChecks, RenderedFile, Renderer } from '../../rendering/index.ts'
import { jobFontsOf, type OwnFont } from '../fonts/design-fonts.ts'
import { type ContentByHash, hashesById, imagesOf } from './render-input.ts'
import type { FinalizationFile } from './stored-file.ts'

export interface DrawDeps {
  storage: Storage
  renderer: Pick<Renderer, 'print'>
  checker: Pick<DocumentChecks, 'contentHash'>
}

/** All inputs of the files, as they were at one time. */
export interface FilesContent {
  document: DesignDocument
  /** The renderer shares its processes fairly between owners. The id has no influence on the files. */
  ownerId: string
  printAreas: PrintArea[]
  assets: ReadonlyMap<string, ContentByHash>
  /** The uploaded fonts of the owner that the document names. */
  fonts: readonly OwnFont[]
  /** The printing condition that the print file names; sRGB if left out. */
  outputProfile?: ContentByHash
  /** Values of placeholders. A placeholder without a value is drawn as it is written. */
  data?: PlaceholderData
}

/** Files that are not drawn yet. Their hash is already known. */
export interface PlannedFiles {
  contentHash: string
  /** Draws and stores the files. When the promise resolves, they are flushed, so that rows may name them. */
  draw(): Promise<FinalizationFile[]>
}

/** Plans the print file of a document and a preview of each of its print areas. Rejects like `DocumentChecks`. */
export async function planFiles(
  { storage, renderer, checker }: DrawDeps,
  content: FilesContent,
): Promise<PlannedFiles> {
  const { document, printAreas, assets, fonts, data, outputProfile, ownerId } = content
  const filling = data === undefined ? {} : { data }
  const output = outputProfile === undefined ? {} : { outputProfile }
  const documentJson = JSON.stringify(document)
  const jobFonts = await jobFontsOf(storage, fonts)
  const hash = await checker.contentHash(
    { documentJson, printAreas, assets: hashesById(assets), fonts: jobFonts, ...filling, ...output },
    { owner: ownerId },
  )
  const draw = async (): Promise<FinalizationFile[]> => {
    const dir = await storage.createWorkDir()
    let admission: Admission | undefined
    try {
      const images = await imagesOf(storage, assets)
      const bytes = await estimateBytes(images, assets)
      const takeRoom = async (): Promise<void> => {
        admission ??= await storage.admit({ least: bytes, most: bytes })
        await admission.cover(bytes)
      }
      const job = { document, printAreas, images, fonts: await jobFontsOf(storage, fonts), ...filling }
      const profile = outputProfile && { ...outputProfile, path: await storage.localPath(outputProfile.sha256) }
      const naming = profile === undefined ? {} : { outputProfile: profile }
      const options = { owner: ownerId, onStart: takeRoom }
      const rendered = await renderer.print({ ...job, ...naming, contentHash: hash }, dir, options)
      // Waits for all, even if one fails: the folder must not be removed while others are being stored.
      const stored = await Promise.allSettled(rendered.map((file) => storage.store(file)))
      for (const one of stored) if (one.status === 'rejected') throw one.reason
      return rendered.map(toFile)
    } finally {
      admission?.end()
      await rm(dir, { recursive: true, force: true })
    }
  }
  return { contentHash: hash, draw }
}

/** Of a print file and its previews without images. */
const BASE_BYTES = 1024 * 1024

/** An image that cannot be embedded as it is grows when it is converted. */
const GROWTH = 2

/** The decoded samples of one image are on the disk while the image is converted. */
const BYTES_PER_PIXEL = 4

/** Of an image whose size is not known, because its account was erased before an order was drawn again. */
const SAMPLES_BYTES = 64 * 1024 * 1024

/** Estimates how many bytes drawing a document writes, so that it leaves the minimum of free disk space. */
async function estimateBytes(
  images: Readonly<Record<string, { path: string }>>,
  assets: ReadonlyMap<string, ContentByHash>,
): Promise<number> {
  const sizes = await Promise.all(Object.values(images).map(async ({ path }) => (await stat(path)).size))
  const samples = Array.from(assets.values(), ({ widthPx, heightPx }) =>
    widthPx === undefined || heightPx === undefined ? SAMPLES_BYTES : BYTES_PER_PIXEL * widthPx * heightPx,
  )
  return sizes.reduce((total, size) => total + GROWTH * size, BASE_BYTES + Math.max(0, ...samples))
}

function toFile({ path: _, ...file }: RenderedFile): FinalizationFile {
  // These ids do not depend on the installation, because the receipt names them.
  return { id: file.kind === 'print' ? 'print' : `preview-${file.printAreaId}`, ...file }
}
