import { rm } from 'node:fs/promises'
import type { DesignDocument, PlaceholderData } from '../../drawing/index.ts'
import type { Storage } from '../../platform/storage/index.ts'
import type { PrintArea } from '../../products/index.ts'
import type { DocumentChecks, RenderedFile, Renderer } from '../../rendering/index.ts'
import type { FinalizationFile } from '../finalization/store.ts'
import { jobFontsOf, type OwnFont } from '../fonts/design-fonts.ts'
import { type ContentByHash, hashesById, imagesOf } from './render-input.ts'

export interface DrawDeps {
  storage: Storage
  renderer: Pick<Renderer, 'print'>
  checker: Pick<DocumentChecks, 'contentHash'>
}

/** Everything that decides the files, as it was at one moment. */
export interface FilesContent {
  document: DesignDocument
  /** Whose design it is: the renderer serves owners in turn. Decides nothing of the files. */
  ownerId: string
  printAreas: PrintArea[]
  /** By asset id. */
  assets: ReadonlyMap<string, ContentByHash>
  /** The owner's fonts that its texts are set in. */
  fonts: readonly OwnFont[]
  /** The condition of output that the print file names; none for sRGB. */
  outputProfile?: ContentByHash
  /** Values of placeholders; without, they are drawn as they stand. */
  data?: PlaceholderData
}

/** Files that are to be drawn. Their hash is known before. */
export interface PlannedFiles {
  contentHash: string
  /** When this resolves, the files survive a power cut: rows that name them may be written. */
  draw(): Promise<FinalizationFile[]>
}

/**
 * Plans the print file of a document and a preview of each of its print areas.
 *
 * Rejects as `DocumentChecks` does.
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
  const draw = async (): Promise<FinalizationFile[]> => {
    const dir = await storage.createWorkDir()
    try {
      const images = await imagesOf(storage, assets)
      const job = { document, printAreas, images, fonts: await jobFontsOf(storage, fonts), ...filling }
      const profile = outputProfile && { ...outputProfile, path: await storage.localPath(outputProfile.sha256) }
      const naming = profile === undefined ? {} : { outputProfile: profile }
      const rendered = await renderer.print({ ...job, ...naming, contentHash: hash }, dir, { owner: ownerId })
      // To the end, also when one fails: the folder must not be removed under the others.
      const stored = await Promise.allSettled(rendered.map((file) => storage.store(file)))
      for (const one of stored) if (one.status === 'rejected') throw one.reason
      return rendered.map(toFile)
    } finally {
      await rm(dir, { recursive: true, force: true })
    }
  }
  return { contentHash: hash, draw }
}

function toFile({ path: _, ...file }: RenderedFile): FinalizationFile {
  // One print file, and one preview per print area: an id that says so, and is the same wherever the design is finalized.
  return { id: file.kind === 'print' ? 'print' : `preview-${file.printAreaId}`, ...file }
}
