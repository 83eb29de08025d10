import type { Crop, ImageLayer, Point } from '@platen/drawing'
import { turnedPoints } from '@platen/drawing'
import { changeLayers, type EditorLayer, findLayer } from '../../document/layers.ts'
import { RESTING } from '../stage-state.ts'
import type { Gesture, GestureContext } from './gesture.ts'
import { nextGestureKey } from './gesture.ts'

export type Picture = Pick<ImageLayer, 'width' | 'height' | 'fit' | 'crop' | 'flipX' | 'flipY'> &
  EditorLayer & { type: 'image' }

interface Pixels {
  widthPx: number
  heightPx: number
}

/** Returns the crop that shows what the frame shows at present. */
export function effectiveCrop(layer: Picture, { widthPx, heightPx }: Pixels): Crop {
  const crop = layer.crop ?? { x: 0, y: 0, width: 1, height: 1 }
  if (layer.fit !== 'cover') return crop
  const frameRatio = layer.width / layer.height
  const cropRatio = (crop.width * widthPx) / (crop.height * heightPx)
  const width = cropRatio > frameRatio ? (crop.width * frameRatio) / cropRatio : crop.width
  const height = cropRatio > frameRatio ? crop.height : (crop.height * cropRatio) / frameRatio
  return tidy({ x: crop.x + (crop.width - width) / 2, y: crop.y + (crop.height - height) / 2, width, height })
}

/** Moves a crop by a distance in its own size. Stays within the image. */
export function moveCrop(crop: Crop, dx: number, dy: number): Crop {
  return tidy({ ...crop, x: crop.x + dx * crop.width, y: crop.y + dy * crop.height })
}

/** Enlarges the picture inside the frame by a factor, around the middle of the crop. */
export function zoomCrop(crop: Crop, factor: number): Crop {
  const limited = Math.max(factor, crop.width, crop.height)
  const width = Math.min(1, crop.width / limited)
  const height = Math.min(1, crop.height / limited)
  return tidy({ x: crop.x + (crop.width - width) / 2, y: crop.y + (crop.height - height) / 2, width, height })
}

/** Drags a picture inside its frame. */
export function cropGesture(
  context: GestureContext,
  layerId: string,
  from: Point,
  pixels: Pixels,
): Gesture | undefined {
  const { store, stage } = context
  const layer = findLayer(store.get().document, layerId)?.layer
  if (layer?.type !== 'image' || layer.lock?.edit === true) return undefined
  const start = effectiveCrop(layer, pixels)
  const mergeKey = nextGestureKey()
  return {
    move(at) {
      const [by = from] = turnedPoints([{ x: at.mm.x - from.x, y: at.mm.y - from.y }], -layer.rotation, { x: 0, y: 0 })
      const dx = ((layer.flipX ? 1 : -1) * by.x) / layer.width
      const dy = ((layer.flipY ? 1 : -1) * by.y) / layer.height
      setCrop(context, layer, moveCrop(start, dx, dy), mergeKey)
      stage.set({ ...RESTING, moving: [layerId] })
    },
    end(at) {
      if (at === undefined) store.edit((document) => changeLayers(document, [layerId], () => layer), { mergeKey })
      store.endStep()
      stage.set(RESTING)
    },
  }
}

export function setCrop(
  { store }: Pick<GestureContext, 'store'>,
  { id, fit }: Picture,
  crop: Crop,
  mergeKey: string | undefined,
): void {
  // `contain` shows a whole crop, so a crop in a frame of another ratio would change its size while it moves.
  const change = { crop, fit: fit === 'contain' ? ('cover' as const) : fit }
  store.edit((document) => changeLayers(document, [id], (layer) => ({ ...layer, ...change }) as EditorLayer), {
    mergeKey,
  })
}

/** Keeps a crop inside the image. */
function tidy({ x, y, width, height }: Crop): Crop {
  const round = (value: number): number => Math.round(value * 1e6) / 1e6
  const w = Math.min(1, Math.max(0.001, round(width)))
  const h = Math.min(1, Math.max(0.001, round(height)))
  return { x: round(Math.min(1 - w, Math.max(0, x))), y: round(Math.min(1 - h, Math.max(0, y))), width: w, height: h }
}
