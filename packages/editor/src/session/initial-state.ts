import type { Design, Product } from '@platen/client'
import { type DesignDocumentInput, normalizeDocument } from '@platen/drawing'
import type { DesignInfo, EditorState } from '../state/editor-state.ts'

export function infoOf({ id, name, productId, variantId, status, revision, templateId }: Design): DesignInfo {
  return { id, name, productId, variantId, status, revision, templateId }
}

/** Returns the state of an editor that has just opened a design. */
export function initialState(design: Design, product: Product): EditorState {
  const document = normalizeDocument(design.document as DesignDocumentInput)
  const filled = document.placements.find(({ layers }) => layers.length > 0)?.printAreaId
  const first = product.printAreas[0]?.id ?? filled ?? ''
  return {
    design: infoOf(design),
    product,
    document,
    printAreaId: product.printAreas.some(({ id }) => id === first) ? first : (filled ?? first),
    selection: [],
    editing: undefined,
    view: undefined,
    assets: new Map(),
    data: {},
    report: undefined,
    save: { kind: 'saved' },
    canUndo: false,
    canRedo: false,
    isEditable: design.status === 'draft',
    isFinalizing: false,
    snaps: true,
  }
}
