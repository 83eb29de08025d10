import { call } from '../../scripts/lib/client.ts'
import type { DesignDocument } from '../../src/drawing/index.ts'
import type { Subject } from './subject.ts'

let postcards = 0

/**
 * Saves postcards like the one of `subject`. Each has different texts, so that no cached result of one postcard speeds
 * up another.
 */
export async function savePostcards({ base, token, designId }: Subject, count: number): Promise<string[]> {
  const { body: design } = await call('GET', `${base}/designs/${designId}`, { token })
  const { productId, variantId } = design
  const ids: string[] = []
  for (let made = 0; made < count; made += 1) {
    postcards += 1
    const document = withOtherTexts(design.document, postcards)
    const { body } = await call('POST', `${base}/designs`, { token, json: { productId, variantId, document } })
    ids.push(body.id)
  }
  return ids
}

/** Changes every text of a document, so that no cached layout can be used. */
export function withOtherTexts(document: DesignDocument, number: number): DesignDocument {
  const placements = document.placements.map((placement) => ({
    ...placement,
    layers: placement.layers.map((layer) => {
      if (layer.type !== 'text') return layer
      const text = layer.text.length > LONG_TEXT ? `${layer.text} No. ${number}` : layer.text
      return { ...layer, text, fontSizePt: layer.fontSizePt - number / 10_000 }
    }),
  }))
  return { ...document, placements }
}

const LONG_TEXT = 100
