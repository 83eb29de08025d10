import type { Layer } from '../document.ts'
import { fillPlaceholders } from '../placeholders.ts'
import { layoutText } from '../text/layout.ts'
import { checkImage } from './check-image.ts'
import { checkPosition } from './check-position.ts'
import { checkQr } from './check-qr.ts'
import { checkShape } from './check-shape.ts'
import { checkText } from './check-text.ts'
import type { CheckContext } from './context.ts'
import type { Change, Finding, JsonPatch } from './issue.ts'

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
  }
}

/**
 * The first of a finding's remedies that resolves it and raises nothing new, as a JSON Patch; undefined when none does.
 * Each is tried on the layer and checked, so that what is offered holds.
 */
export function findFix(
  layer: Layer,
  finding: Finding,
  all: readonly Finding[],
  pointer: string,
  context: CheckContext,
): JsonPatch | undefined {
  const allowed = new Set(all.filter((other) => other.code !== finding.code).map(keyOf))
  for (const changes of finding.remedies?.() ?? []) {
    if (changes.length === 0) continue
    const after = checkLayer(changed(layer, changes), context)
    if (after.every((left) => allowed.has(keyOf(left)))) {
      return changes.map(({ field, value }) => ({ op: 'replace', path: `${pointer}/${field}`, value }))
    }
  }
  return undefined
}

function keyOf({ code, severity }: Finding): string {
  return `${severity} ${code}`
}

function changed(layer: Layer, changes: readonly Change[]): Layer {
  const copy: Record<string, unknown> = structuredClone({ ...layer })
  for (const { field, value } of changes) {
    const [outer = '', inner] = field.split('/')
    if (inner === undefined) copy[outer] = value
    else copy[outer] = { ...(copy[outer] as object), [inner]: value }
  }
  return copy as Layer
}
