import { checkPosition } from '../../checks/check-position.ts'
import { checkSafeArea } from '../../checks/check-safe-area.ts'
import type { CheckContext } from '../../checks/context.ts'
import type { Finding } from '../../checks/issue.ts'
import type { Layer } from '../../document/layer-types.ts'
import { fillPlaceholders } from '../../document/placeholders.ts'
import type { TextLayer } from '../../document/text-layer.ts'
import { isTransparent } from '../../shapes/color.ts'
import { layoutText, type TextLayout } from '../../text/layout.ts'
import { isBlank } from '../../text/unicode/is-blank.ts'
import { boxOutline } from '../../trim/outline.ts'
import type { LayerEngine, LayerSource } from '../layer-engine.ts'
import { checkText } from './check-text.ts'
import { drawText } from './draw-text.ts'
import { movedTextToSafety, refitted } from './fit-text.ts'
import { lettersReach, textCorners } from './text-corners.ts'

export const textEngine: LayerEngine<TextLayer> = {
  outline: boxOutline,
  check(layer, context) {
    const filled = { ...layer, text: fillPlaceholders(layer.text, context.data) }
    const layout = layoutText(filled, context.fonts)
    const checkEdges = () => checkMargin(filled, layout, context)
    return [...checkText(filled, layout, context), ...checkPosition(filled, { checkEdges, fitted: refitted }, context)]
  },
  effort: ({ text }) => text.length,
  showsNothing: ({ text, color }) => isBlank(text) || isTransparent(color),
  draw: (ctx, layer, { fonts, data, group }) =>
    drawText(ctx, { ...layer, text: fillPlaceholders(layer.text, data) }, fonts, group),
  contentInputs: (layer, source) => ({ ...layer, faces: facesInOrder(layer, source) }),
}

function checkMargin(layer: TextLayer, layout: TextLayout, context: CheckContext): Finding[] {
  const guarded = {
    name: 'The text',
    pointsOf: (measure: 'lines' | 'letters') => textCorners(layer, layout, measure),
    lettersReachMm: lettersReach(layer),
    remedies: () => movesToSafety(layer, context),
  }
  return checkSafeArea(guarded, context)
}

function* movesToSafety(layer: TextLayer, context: CheckContext): Iterable<Layer> {
  yield* movedTextToSafety(layer, context)
  yield* refitted(layer, context)
}

/**
 * Lists the font files of the drawn text, each with the UTF-16 offset from which on the text uses it. The offsets are
 * needed because two files of a family may have the same letter.
 */
function facesInOrder(text: Omit<TextLayer, 'id'>, { fonts, data }: LayerSource): [sha256: string, start: number][] {
  const faces: [string, number][] = []
  let start = 0
  const { lines } = layoutText({ ...text, text: fillPlaceholders(text.text, data) }, fonts)
  for (const run of lines.flatMap(({ runs }) => runs)) {
    const sha256 = run.face?.sha256 ?? ''
    if (faces.at(-1)?.[0] !== sha256) faces.push([sha256, start])
    start += run.text.length
  }
  return faces
}
