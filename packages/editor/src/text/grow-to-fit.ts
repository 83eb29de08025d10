import { PT_PER_MM } from '@platen/drawing'
import { fromLayer } from '../document/geometry/boxes.ts'
import { resizeBox } from '../document/geometry/transform.ts'
import type { EditorLayer } from '../document/layers.ts'
import type { Engine } from '../engine/index.ts'

type TextLayer = EditorLayer & { type: 'text' }

/** Makes the box of a text higher if the text needs it, so that the customer need not resize it while typing. */
export function growToFit(engine: Pick<Engine, 'layoutOf'>, layer: TextLayer): TextLayer {
  const flow = layer.lock?.move === true ? undefined : engine.layoutOf(layer)
  if (flow === undefined) return layer
  const neededMm = Math.ceil((flow.layout.heightPt / PT_PER_MM) * 1000) / 1000
  if (neededMm <= layer.height) return layer
  const bottom = fromLayer(layer, { x: layer.width / 2, y: neededMm })
  return { ...layer, ...resizeBox(layer, { x: 0, y: 1 }, bottom, { keepsRatio: false, fromCentre: false }) }
}
