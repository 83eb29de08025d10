import type { StoredFile } from '../../platform/http/responses/send-stored.ts'
import type { FinalizationFile } from '../finalization/store.ts'

const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/pdf': 'pdf',
  'image/webp': 'webp',
  'image/png': 'png',
}

/**
 * Describes a finalization's file for `sendStored`.
 *
 * @param baseName first part of the name under which a browser saves the file
 */
export function toStoredFile({ id, kind, mediaType, sha256 }: FinalizationFile, baseName: string): StoredFile {
  const fileName = `${baseName}-${id}.${EXTENSIONS[mediaType] ?? 'bin'}`
  return { sha256, mediaType, disposition: kind === 'print' ? 'attachment' : 'inline', fileName }
}
