import type { StoredFile } from '../../platform/http/responses/send-stored.ts'
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
