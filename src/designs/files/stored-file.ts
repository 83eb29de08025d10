import type { Db } from '../../platform/db/index.ts'
import type { StoredFile } from '../../platform/http/responses/send-stored.ts'
import { findProduct } from '../../products/index.ts'
import { designProblems } from '../problems.ts'
import type { Design } from '../store.ts'

/** A file of a finalization, as the API shows it. The storage has its bytes under `sha256`. */
export interface FinalizationFile {
  /** `print`, or `preview-` and the id of the print area. Unique within the finalization. */
  id: string
  kind: 'print' | 'preview'
  printAreaId?: string
  mediaType: string
  bytes: number
  /** Hexadecimal. */
  sha256: string
  widthMm?: number
  heightMm?: number
  pages?: number
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/webp': 'webp',
  'image/png': 'png',
}

/**
 * Describes a file of a finalization for `sendStored`.
 *
 * @param baseName first part of the name under which a browser saves the file
 */
export function toStoredFile({ id, kind, mediaType, sha256 }: FinalizationFile, baseName: string): StoredFile {
  const fileName = `${baseName}-${id}.${EXTENSIONS[mediaType] ?? 'bin'}`
  return { sha256, mediaType, disposition: kind === 'print' ? 'attachment' : 'inline', fileName }
}

/** @throws `file_not_found` */
export function requireFile({ id: designId, finalization }: Design, fileId: string): StoredFile {
  const files = finalization === null ? [] : (JSON.parse(finalization.filesJson) as FinalizationFile[])
  const file = files.find(({ id }) => id === fileId)
  if (file === undefined) throw designProblems.file_not_found()
  return toStoredFile(file, designId)
}

/**
 * Returns a file with a name that tells the customer what it is: design, product and date.
 *
 * @throws `file_not_found`
 */
export async function requireNamedFile(db: Db, design: Design, fileId: string): Promise<StoredFile> {
  const file = requireFile(design, fileId)
  const product = (await findProduct(db, design.productId))?.name ?? ''
  const date = design.finalization?.finalizedAt.toISOString().slice(0, 10)
  // New designs are named after their product.
  const parts = [design.name, design.name.includes(product) ? '' : product, date, fileId === 'print' ? '' : fileId]
  return { ...file, title: parts.filter((part) => part !== undefined && part !== '').join(', ') }
}
