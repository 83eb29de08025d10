import type { View } from '../../state/editor-state.ts'

export const RULER_PX = 22
const STEPS_MM = [0.1, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
const LEAST_LABEL_PX = 46

export interface RulerColors {
  line: string
  text: string
  mark: string
  font: string
}

/**
 * Draws one ruler in millimetres.
 *
 * @param marked the extent of the selection in millimetres
 */
export function drawRuler(
  canvas: HTMLCanvasElement,
  axis: 'x' | 'y',
  view: View,
  colors: RulerColors,
  marked: readonly [from: number, to: number] | undefined,
): void {
  const context = canvas.getContext('2d')
  if (context === null) return
  const ratio = devicePixelRatio
  const length = (axis === 'x' ? canvas.width : canvas.height) / ratio
  const origin = axis === 'x' ? view.xPx : view.yPx
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, canvas.width, canvas.height)
  if (axis === 'y') context.transform(0, 1, 1, 0, 0, 0)
  if (marked !== undefined) {
    context.fillStyle = colors.mark
    context.fillRect(origin + marked[0] * view.pxPerMm, 0, (marked[1] - marked[0]) * view.pxPerMm, RULER_PX)
  }
  const step = STEPS_MM.find((mm) => mm * view.pxPerMm >= LEAST_LABEL_PX) ?? 1000
  context.fillStyle = colors.line
  const first = Math.floor(-origin / view.pxPerMm / step) * step
  for (let mm = first; mm * view.pxPerMm + origin < length; mm += step) {
    const at = mm * view.pxPerMm + origin
    context.fillRect(at, RULER_PX - 9, 1, 9)
    for (let part = 1; part < 5; part++) {
      context.fillRect(at + (part * step * view.pxPerMm) / 5, RULER_PX - 4, 1, 4)
    }
  }
  drawLabels(context, axis, { first, step, origin, length, pxPerMm: view.pxPerMm }, colors)
}

function drawLabels(
  context: CanvasRenderingContext2D,
  axis: 'x' | 'y',
  scale: { first: number; step: number; origin: number; length: number; pxPerMm: number },
  colors: RulerColors,
): void {
  context.fillStyle = colors.text
  context.font = colors.font
  context.textBaseline = 'top'
  for (let mm = scale.first; mm * scale.pxPerMm + scale.origin < scale.length; mm += scale.step) {
    const at = mm * scale.pxPerMm + scale.origin
    const label = String(Math.round(mm * 10) / 10)
    context.save()
    if (axis === 'y') {
      // The axes are swapped, so the text is mirrored; this turns it upright along the ruler.
      context.translate(at + 3, 3)
      context.transform(0, 1, 1, 0, 0, 0)
      context.rotate(-Math.PI / 2)
      context.translate(-context.measureText(label).width, 0)
      context.fillText(label, 0, 0)
    } else {
      context.fillText(label, at + 3, 3)
    }
    context.restore()
  }
}
