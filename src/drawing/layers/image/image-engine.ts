import { checkBleed } from '../../checks/check-bleed.ts'
import { checkPosition, type PositionRules } from '../../checks/check-position.ts'
import { shrunkInto } from '../../checks/moves.ts'
import type { ImageLayer } from '../../document/image-layer.ts'
import { centreOf, turnedCorners } from '../../shapes/geometry.ts'
import { boxOutline } from '../../trim/outline.ts'
import type { LayerEngine } from '../layer-engine.ts'
import { checkImage } from './check-image.ts'
import { drawImage } from './draw-image.ts'
import { fitImage } from './fit-image.ts'

const rules: PositionRules<ImageLayer> = {
  checkEdges: (layer, outline, context) => (layer.opacity === 0 ? [] : checkBleed(layer, outline, context, () => true)),
  fitted: shrunkInto,
}

export const imageEngine: LayerEngine<ImageLayer> = {
  outline(layer, assets) {
    const asset = assets.get(layer.assetId)
    if (asset === undefined) return boxOutline(layer)
    const { shown } = fitImage(layer, asset)
    const rect = { ...shown, x: shown.x + layer.x, y: shown.y + layer.y }
    return { points: turnedCorners(rect, layer.rotation, centreOf(layer)) }
  },
  check: (layer, context) => [...checkImage(layer, context), ...checkPosition(layer, rules, context)],
  fitAsset: fitImage,
  draw(ctx, layer, { images }) {
    const image = images.get(layer.assetId)
    if (image !== undefined) drawImage(ctx, layer, image)
  },
  contentInputs: ({ assetId, ...layer }, { assets }) => ({ ...layer, asset: assets.get(assetId)?.sha256 ?? null }),
}
