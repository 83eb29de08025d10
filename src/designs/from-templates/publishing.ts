import type { DesignDocument } from '../../drawing/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { DrawPreview, FindPublishable } from '../../templates/index.ts'
import { type PreviewDeps, previewDesign } from '../preview-design.ts'
import { statusAt } from '../state.ts'
import { findDesign } from '../store.ts'

/** Finds the design that an administrator publishes as a template. */
export const findPublishable: FindPublishable = async (trx, key, now) => {
  const design = await findDesign(trx, key)
  if (design === undefined) return undefined
  const { productId, documentJson } = design
  return { status: statusAt(design, now), productId, document: JSON.parse(documentJson) as DesignDocument }
}

/** Draws previews of templates as those of drafts are drawn. */
export function createTemplatePreviews(db: Db, deps: PreviewDeps): DrawPreview {
  return async ({ productId, documentJson, ownerId }, { printAreaId, widthPx, account }) => {
    const draft = { productId, documentJson, ownerId, templateId: null, finalization: null }
    const options = { printAreaId, widthPx, format: 'webp' } as const
    const preview = await previewDesign(db, { ...deps, account }, { ...draft, id: '', status: 'draft' }, options)
    return preview.draw()
  }
}
