import type { CreateDesignRequest, Design, Platen } from '@platen/client'
import type { DesignInfo } from '../../state/editor-state.ts'
import type { DesignContent } from '../saving-types.ts'

type Designs = Pick<Platen['designs'], 'create' | 'duplicate' | 'change'>

/**
 * Returns a function that creates a new design with a content. A repetition after a lost response returns the same
 * design, because it has the same idempotency key.
 */
export function createCopier(designs: Designs) {
  let last: { content: string; key: string } | undefined
  return async (content: DesignContent, { id, productId, templateId }: DesignInfo): Promise<Design> => {
    const { name, variantId, document } = content
    const body = { name, variantId, document } as CreateDesignRequest
    // Another content would be refused under the same key.
    const described = JSON.stringify(body)
    if (last?.content !== described) last = { content: described, key: crypto.randomUUID() }
    const options = { idempotencyKey: last.key }
    if (templateId === null) return designs.create({ ...body, productId }, options)
    // A duplicate keeps the template, and with it the images of the shop and the locks.
    const copy = await designs.duplicate(id, options)
    return designs.change(copy.id, body)
  }
}
