import type { Design, Product } from '@platen/client'
import type { EditorLayer } from './document/layers.ts'
import { initialState } from './session/initial-state.ts'
import type { EditorState } from './state/editor-state.ts'

export function rect(id: string, box: Partial<EditorLayer> = {}): EditorLayer {
  const base = { type: 'shape' as const, shape: 'rect' as const, x: 0, y: 0, width: 10, height: 10 }
  return { ...base, rotation: 0, opacity: 1, fill: '#000000', ...box, id } as EditorLayer
}

/** The state of an editor with an A6 postcard of two sides. */
export function emptyState(front: EditorLayer[] = []): EditorState {
  const design = { id: 'des_1', name: 'Postcard', productId: 'prd_1', variantId: 'var_1', status: 'draft', revision: 1 }
  const product = { id: 'prd_1', status: 'active', printAreas: ['front', 'back'].map(area) }
  const document = { version: 1, placements: [{ printAreaId: 'front', layers: front }] }
  return initialState({ ...design, templateId: null, document } as unknown as Design, product as unknown as Product)
}

const area = (id: string) => ({
  ...{ id, name: id, widthMm: 148, heightMm: 105, bleedMm: 3, safeMarginMm: 5, targetDpi: 300, required: false },
})
