import { type CheckContext, spend } from '../checks/context.ts'
import type { Finding, JsonPatch } from '../checks/issue.ts'
import { checkLayer } from '../document/check-document.ts'
import { definitionOf, type Layer } from '../document/layer-types.ts'
import { contentOf } from '../document/placeholders.ts'
import { DOCUMENT_LIMITS } from '../document/schema/limits.ts'
import { engineOf } from '../layer-engines.ts'
import { obscuresCodes } from '../layers/qr/obscured-codes.ts'

/**
 * Returns the first remedy that resolves a finding and causes no new finding, as a JSON Patch. Returns undefined if
 * no remedy does this, or if the effort of the report is used up. Each remedy is tested by checking the changed layer.
 */
export function findFix(
  layer: Layer,
  finding: Finding,
  all: readonly Finding[],
  pointer: string,
  context: CheckContext,
): JsonPatch | undefined {
  if (finding.remedies === undefined || context.work.left <= 0) return undefined
  const engine = engineOf(layer)
  const allowed = new Set(all.filter((other) => other.code !== finding.code).map(keyOf))
  for (const filled of finding.remedies()) {
    const remedy = withContentOf(layer, filled)
    const changes = changesBetween(layer, remedy, pointer)
    if (
      changes.length > 0 &&
      isWithinLimits(remedy) &&
      countDashes(remedy) - countDashes(layer) <= context.spareDashes
    ) {
      spend(context, engine.effort?.(filled, context) ?? 0)
      const after = engine.check(remedy, context)
      const harmless = after.every((left) => allowed.has(keyOf(left))) && !obscuresCodes(layer, remedy, context)
      if (harmless) return changes
    }
    if (context.work.left <= 0) return undefined
  }
  return undefined
}

function keyOf({ code, severity }: Finding): string {
  return `${severity} ${code}`
}

function changesBetween(before: object, after: object, pointer: string): JsonPatch {
  return Object.entries(after).flatMap(([key, value]): JsonPatch => {
    const old = (before as Record<string, unknown>)[key]
    if (old === value) return []
    const path = `${pointer}/${key}`
    if (key === 'stroke') return changesBetween(old as object, value as object, path)
    return [{ op: 'replace', path, value }]
  })
}

// Restores the placeholders of the original layer in a remedy. Checks and remedies use the layer with filled
// placeholders.
function withContentOf(original: Layer, remedy: Layer): Layer {
  const field = definitionOf(original).content?.field
  if (field === undefined) return remedy
  return { ...remedy, [field]: contentOf(original) } as Layer
}

function countDashes(layer: Layer): number {
  return engineOf(layer).countDashes?.(layer) ?? 0
}

function isWithinLimits(layer: Layer): boolean {
  const { sizeMm } = DOCUMENT_LIMITS
  const faults: string[] = []
  checkLayer(layer, (code) => faults.push(code))
  const isExtent = (mm: number) => mm >= 0 && mm <= sizeMm && !faults.includes('size_not_positive')
  return Math.abs(layer.x) <= sizeMm && Math.abs(layer.y) <= sizeMm && isExtent(layer.width) && isExtent(layer.height)
}
