import { centreOf, fitImage, type PrintArea } from '@platen/drawing'
import { findLayer, layersOf } from '../../document/layers.ts'
import type { Engine, PageImage } from '../../engine/index.ts'
import type { EditorState, View } from '../../state/editor-state.ts'

export interface StagePaint {
  state: EditorState
  view: View
  printArea: PrintArea
  images: ReadonlyMap<string, PageImage>
  /** Layers that move at the moment. What is below and above them is painted once and reused. */
  moving: readonly string[]
  devicePixelRatio: number
}

const PAPER = '#ffffff'

export interface Painter {
  /** Paints a stage. Returns the ids of layers that wait for a font. */
  paint(context: CanvasRenderingContext2D, input: StagePaint): readonly string[]
}

/** Creates the painter of one stage. It draws with the code that draws the print file. */
export function createPainter(engine: Engine): Painter {
  const layersBelow = createCache()
  const layersAbove = createCache()

  return {
    paint(context, input) {
      const { canvas } = context
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.clearRect(0, 0, canvas.width, canvas.height)
      paintPaper(context, input)
      const [below, moving, above] = split(input)
      const draw = (target: CanvasRenderingContext2D, ids: ReadonlySet<string>) =>
        drawLayers(engine, target, input, ids)
      if (moving.size === 0) {
        layersBelow.clear()
        layersAbove.clear()
        const waiting = draw(context, below)
        paintCroppedParts(context, input)
        return waiting
      }
      const waiting = [
        ...layersBelow.paint(context, input, (target) => draw(target, below)),
        ...draw(context, moving),
        ...layersAbove.paint(context, input, (target) => draw(target, above)),
      ]
      paintCroppedParts(context, input)
      return waiting
    },
  }
}

type Ids = ReadonlySet<string>
type Split = readonly [below: Ids, moving: Ids, above: Ids]

/** Splits the layers into those below the moving ones, the moving ones with all between them, and those above. */
function split({ state, printArea, moving }: StagePaint): Split {
  const ids = layersOf(state.document, printArea.id).map(({ id }) => id)
  if (moving.length === 0) return [new Set(ids), new Set(), new Set()]
  const first = ids.findIndex((id) => moving.includes(id))
  const last = ids.findLastIndex((id) => moving.includes(id))
  if (first < 0) return [new Set(ids), new Set(), new Set()]
  return [new Set(ids.slice(0, first)), new Set(ids.slice(first, last + 1)), new Set(ids.slice(last + 1))]
}

function paintPaper(context: CanvasRenderingContext2D, { view, printArea, devicePixelRatio }: StagePaint): void {
  const { widthMm, heightMm, bleedMm } = printArea
  const scale = view.pxPerMm * devicePixelRatio
  context.fillStyle = PAPER
  context.fillRect(
    view.xPx * devicePixelRatio - bleedMm * scale,
    view.yPx * devicePixelRatio - bleedMm * scale,
    (widthMm + 2 * bleedMm) * scale,
    (heightMm + 2 * bleedMm) * scale,
  )
}

function drawLayers(
  engine: Engine,
  context: CanvasRenderingContext2D,
  { state, view, printArea, images, devicePixelRatio }: StagePaint,
  ids: ReadonlySet<string>,
): readonly string[] {
  if (ids.size === 0) return []
  return engine.drawPlacement(context, {
    document: state.document,
    printArea,
    images,
    pxPerMm: view.pxPerMm * devicePixelRatio,
    box: 'trim',
    xPx: view.xPx * devicePixelRatio,
    yPx: view.yPx * devicePixelRatio,
    shows: ({ id }) => ids.has(id),
    // Positions of the caret refer to the text with its placeholders.
    ...(state.editing?.kind === 'text' ? {} : { data: state.data }),
  }).waiting
}

const CROPPED_OPACITY = 0.35

/** While a picture is moved in its frame, the parts outside of the frame are faint. */
function paintCroppedParts(
  context: CanvasRenderingContext2D,
  { state, view, images, devicePixelRatio }: StagePaint,
): void {
  const { editing, document } = state
  const layer = editing?.kind === 'crop' ? findLayer(document, editing.layerId)?.layer : undefined
  const image = layer?.type === 'image' ? images.get(layer.assetId) : undefined
  if (layer?.type !== 'image' || image === undefined) return
  const { whole } = fitImage(layer, image)
  const scale = view.pxPerMm * devicePixelRatio
  const centre = centreOf(layer)
  context.save()
  context.setTransform(scale, 0, 0, scale, view.xPx * devicePixelRatio, view.yPx * devicePixelRatio)
  context.translate(centre.x, centre.y)
  context.rotate((layer.rotation * Math.PI) / 180)
  context.scale(layer.flipX ? -1 : 1, layer.flipY ? -1 : 1)
  context.translate(-layer.width / 2, -layer.height / 2)
  context.globalAlpha = CROPPED_OPACITY
  context.drawImage(image.source, whole.x, whole.y, whole.width, whole.height)
  context.restore()
}

/** A picture of layers that stay while others move. */
function createCache() {
  let picture: HTMLCanvasElement | undefined
  let key: readonly unknown[] = []
  let waiting: readonly string[] = []
  return {
    clear() {
      picture = undefined
      key = []
    },
    paint(
      context: CanvasRenderingContext2D,
      { view, images, state, moving }: StagePaint,
      draw: (target: CanvasRenderingContext2D) => readonly string[],
    ): readonly string[] {
      const { width, height } = context.canvas
      const present = [width, height, view, images, state.printAreaId, state.data, moving.join(' ')]
      if (picture === undefined || present.some((part, i) => part !== key[i])) {
        picture = document.createElement('canvas')
        Object.assign(picture, { width, height })
        const target = picture.getContext('2d')
        waiting = target === null ? [] : draw(target)
        key = waiting.length === 0 ? present : []
      }
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.drawImage(picture, 0, 0)
      return waiting
    },
  }
}
