import { checkPosition } from '../checks/check-position.ts'
import { type CheckContext, COST_OF_A_GROUND, spend } from '../checks/context.ts'
import type { Finding, JsonPatch } from '../checks/issue.ts'
import { DOCUMENT_LIMITS, type Layer } from '../document/design-document.ts'
import { unknownLayer } from '../document/layer-type.ts'
import { fillPlaceholders } from '../document/placeholders.ts'
import { checkImage } from '../layers/image/check-image.ts'
import { checkContrast, checkCover, checkQr } from '../layers/qr/check-qr.ts'
import { isSeeThrough } from '../layers/qr/contrast.ts'
import { checkShape } from '../layers/shape/check-shape.ts'
import { countDashes } from '../layers/shape/count-dashes.ts'
import { checkText } from '../layers/text/check-text.ts'
import { layoutText } from '../text/layout.ts'

/** All that is wrong with one layer on its print area. */
export function checkLayer(layer: Layer, context: CheckContext): Finding[] {
  switch (layer.type) {
    case 'text': {
      const filled = { ...layer, text: fillPlaceholders(layer.text, context.data) }
      const layout = layoutText(filled, context.fonts)
      return [...checkText(filled, layout, context), ...checkPosition(filled, layout, context)]
    }
    case 'image':
      return [...checkImage(layer, context), ...checkPosition(layer, undefined, context)]
    case 'shape':
      return [...checkShape(layer), ...checkPosition(layer, undefined, context)]
    case 'qr':
      return [...checkQr(layer, context), ...checkPosition(layer, undefined, context)]
    default:
      return unknownLayer(layer)
  }
}

/**
 * The first of a finding's remedies that resolves it and raises nothing new, as a JSON Patch; undefined when none does,
 * or when the report has spent its work. Each is tried on the layer and checked, so that what is offered holds.
 */
export function findFix(
  layer: Layer,
  finding: Finding,
  all: readonly Finding[],
  pointer: string,
  context: CheckContext,
): JsonPatch | undefined {
  if (finding.remedies === undefined || context.work.left <= 0) return undefined
  const allowed = new Set(all.filter((other) => other.code !== finding.code).map(keyOf))
  for (const remedy of finding.remedies()) {
    const changes = changesBetween(layer, remedy, pointer)
    if (changes.length > 0 && isWithinLimits(remedy) && addedDashes(layer, remedy) <= context.spareDashes) {
      spend(context, remedy)
      const after = checkLayer(withContentOf(layer, remedy), context)
      const harmless = after.every((left) => allowed.has(keyOf(left))) && !obscuresCodes(layer, remedy, context)
      if (harmless) return changes
    }
    if (context.work.left <= 0) return undefined
  }
  return undefined
}

/** Whether a changed shape would leave a code without contrast that it is seen through, or cover one below. */
function obscuresCodes(layer: Layer, remedy: Layer, context: CheckContext): boolean {
  if (layer.type !== 'shape') return false
  const index = context.layers.indexOf(layer)
  const after = { ...context, layers: context.layers.with(index, remedy) }
  return context.layers.some((code, at) => {
    if (code.type !== 'qr' || (at > index && !isSeeThrough(code))) return false
    // Twice, as it was and as it would be. Without work left nothing is known of the code, and nothing is offered.
    context.work.left -= 2 * COST_OF_A_GROUND * context.layers.length
    if (context.work.left <= 0) return true
    const check = at > index ? checkContrast : checkCover
    return check(code, after).length > check(code, context).length
  })
}

function keyOf({ code, severity }: Finding): string {
  return `${severity} ${code}`
}

function changesBetween(before: object, after: object, pointer: string): JsonPatch {
  return Object.entries(after).flatMap(([key, value]): JsonPatch => {
    const old = (before as Record<string, unknown>)[key]
    if (key === 'text' || key === 'value' || old === value) return []
    const path = `${pointer}/${key}`
    if (key === 'stroke') return changesBetween(old as object, value as object, path)
    return [{ op: 'replace', path, value }]
  })
}

// Remedies are made from the layer as it is checked, with its placeholders filled.
function withContentOf(original: Layer, remedy: Layer): Layer {
  if (original.type === 'text' && remedy.type === 'text') return { ...remedy, text: original.text }
  if (original.type === 'qr' && remedy.type === 'qr') return { ...remedy, value: original.value }
  return remedy
}

function addedDashes(layer: Layer, remedy: Layer): number {
  return layer.type === 'shape' && remedy.type === 'shape' ? countDashes(remedy) - countDashes(layer) : 0
}

/** Whether what was computed for a layer stays within what documents may say. */
function isWithinLimits(layer: Layer): boolean {
  const { sizeMm } = DOCUMENT_LIMITS
  const isExtent = (mm: number) =>
    mm <= sizeMm && (mm > 0 || (layer.type === 'shape' && layer.shape === 'line' && mm === 0))
  return Math.abs(layer.x) <= sizeMm && Math.abs(layer.y) <= sizeMm && isExtent(layer.width) && isExtent(layer.height)
}
