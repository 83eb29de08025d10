import type { DesignDocument } from '@platen/drawing'
import { mergeDocuments } from '../merge/merge-documents.ts'
import { normalFormOf } from './versions.ts'

/**
 * Merges a step of undo with the present document. Merges have normalized documents and edits have not, so without the
 * same form each layer would count as changed.
 */
export function mergeSteps(base: DesignDocument, mine: DesignDocument, theirs: DesignDocument): DesignDocument {
  const present = normalFormOf(mine)
  const { document } = mergeDocuments(normalFormOf(base), present, normalFormOf(theirs))
  return document === present ? mine : document
}
