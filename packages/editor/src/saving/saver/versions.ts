import type { ChangeDesignRequest, Design } from '@platen/client'
import { type DesignDocument, normalizeDocument } from '@platen/drawing'
import type { EditorState } from '../../state/editor-state.ts'
import { sameValue } from '../merge/same-value.ts'
import type { DesignContent, OpenedDesign, SavedVersion } from '../saving-types.ts'

const normalized = new WeakMap<DesignDocument, DesignDocument>()

/** The service normalizes documents, so they are compared in this form. Returns the same object for the same document. */
export function normalFormOf(document: DesignDocument): DesignDocument {
  const known = normalized.get(document)
  const form = known ?? normalizeDocument(document)
  if (known === undefined) normalized.set(document, form)
  return form
}

/** Returns what would be saved now. */
export function contentOf({ design, document }: Pick<EditorState, 'design' | 'document'>): DesignContent {
  return { name: design.name, variantId: design.variantId, document: normalFormOf(document) }
}

export function versionOf({ design, etag }: OpenedDesign): SavedVersion {
  return { content: contentOfDesign(design), revision: design.revision, etag, status: design.status }
}

export function contentOfDesign({ name, variantId, document }: Pick<Design, keyof DesignContent>): DesignContent {
  return { name, variantId, document: normalizeDocument(document as DesignDocument) }
}

/** Returns the members that differ, as the body of a request. */
export function changesFrom(saved: DesignContent, content: DesignContent): ChangeDesignRequest {
  const { name, variantId, document } = content
  return {
    ...(name === saved.name ? {} : { name }),
    ...(variantId === saved.variantId ? {} : { variantId }),
    ...(sameValue(document, saved.document) ? {} : { document: document as ChangeDesignRequest['document'] & object }),
  }
}
