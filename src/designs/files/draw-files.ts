import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { DesignDocument, PlaceholderData } from '../../drawing/index.ts'
import { runInTurn } from '../../platform/concurrency/debts.ts'
import { currentRequest, runInRequest } from '../../platform/concurrency/request-context.ts'
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

/** All inputs of the files, in the state of one point in time. */
export interface FilesContent {
  document: DesignDocument
  /** The renderer shares its processes fairly between owners. The id has no influence on the files. */
  ownerId: string
  printAreas: PrintArea[]
  assets: ReadonlyMap<string, ContentByHash>
  /** The uploaded fonts of the owner that the document names. */
  fonts: readonly OwnFont[]
  /** Output profile that the print file names. Default: sRGB. */
  outputProfile?: ContentByHash
  /** Texts of placeholders. A placeholder without a text is drawn as it is written in the document. */
  data?: PlaceholderData
}

/** Files that are not drawn yet, but whose hash is already known. */
export interface PlannedFiles {
  contentHash: string
  /**
   * Draws and stores the files. When the promise resolves, the storage has flushed them, so that database rows may
   * refer to them.
   *
   * @param onStart is called when drawing starts, after all waiting. If it rejects, nothing is drawn, and the promise
   *   rejects with the same error
   */
  draw(onStart?: () => Promise<void>): Promise<FinalizationFile[]>
}

/**
 * Plans the print file of a document and a preview of each of its print areas. Rejects with the errors of
 * `DocumentChecks`.
 */
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
  const draw = async (onStart?: () => Promise<void>): Promise<FinalizationFile[]> => {
    const dir = await storage.createWorkDir()
    let admission: Admission | undefined
    try {
      const images = await imagesOf(storage, assets)
      const fontsOfJob = await jobFontsOf(storage, fonts)
      const bytes = await estimateBytes(images, assets, fontsOfJob)
      const takeRoom = async (): Promise<void> => {
        await onStart?.()
        // A drawing process that ended may have left files of this size.
        if (admission !== undefined) await emptyFolder(dir)
        admission?.end()
        admission = await storage.admit({ least: bytes, most: bytes })
        await admission.cover(bytes)
      }
      // The pool calls it in the context of any request, and a process waits for it.
      const request = currentRequest()
      const takeRoomInTurn = () => runInRequest(request, () => runInTurn(takeRoom))
      const job = { document, printAreas, images, fonts: fontsOfJob, ...filling }
      const profile = outputProfile && { ...outputProfile, path: await storage.localPath(outputProfile.sha256) }
      const naming = profile === undefined ? {} : { outputProfile: profile }
      const options = { owner: ownerId, onStart: takeRoomInTurn }
      const rendered = await renderer.print({ ...job, ...naming, contentHash: hash }, dir, options)
      await storage.pace(rendered.reduce((total, file) => total + file.bytes, 0))
      // Waits for all files, even if one fails, because the folder must not be removed while others are being stored.
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

async function emptyFolder(dir: string): Promise<void> {
  for (const name of await readdir(dir)) await rm(join(dir, name), { recursive: true, force: true })
}

/** Estimated size of a print file and its previews without images. */
const BASE_BYTES = 1024 * 1024

/** Factor by which an image may grow when it is converted because it cannot be embedded unchanged. */
const GROWTH = 2

/** While an image is converted, its decoded samples are on the disk. */
const BYTES_PER_PIXEL = 4

/**
 * Estimated size of the samples of an image whose dimensions are unknown, because its account was erased before the
 * files of an order were drawn again.
 */
const SAMPLES_BYTES = 64 * 1024 * 1024

/** Estimates how many bytes drawing a document writes to the disk, so that the minimum of free space is preserved. */
async function estimateBytes(
  images: Readonly<Record<string, { path: string }>>,
  assets: ReadonlyMap<string, ContentByHash>,
  fonts: readonly { path: string }[],
): Promise<number> {
  const [sizes, fontSizes] = await Promise.all([sizesOf(Object.values(images)), sizesOf(fonts)])
  // The print file contains at most the whole of each font.
  const base = fontSizes.reduce((total, size) => total + size, BASE_BYTES)
  const samples = Array.from(assets.values(), ({ widthPx, heightPx }) =>
    widthPx === undefined || heightPx === undefined ? SAMPLES_BYTES : BYTES_PER_PIXEL * widthPx * heightPx,
  )
  return sizes.reduce((total, size) => total + GROWTH * size, base + Math.max(0, ...samples))
}

function sizesOf(files: readonly { path: string }[]): Promise<number[]> {
  return Promise.all(files.map(async ({ path }) => (await stat(path)).size))
}

function toFile({ path: _, ...file }: RenderedFile): FinalizationFile {
  // The ids must not depend on the installation, because the receipt names them.
  return { id: file.kind === 'print' ? 'print' : `preview-${file.printAreaId}`, ...file }
}
