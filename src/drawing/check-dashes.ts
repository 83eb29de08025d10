import { type DocumentProblem, findExcess } from './document/check-document.ts'
import type { DesignDocument } from './document/design-document.ts'
import { definitionOf } from './document/layer-types.ts'
import { DOCUMENT_LIMITS } from './document/schema/limits.ts'
import { engineOf } from './layer-engines.ts'

/**
 * Checks that the strokes of a document together have at most `DOCUMENT_LIMITS.dashes` dashes, so that drawing takes a
 * bounded time. Reading the paths of a document takes up to 80 ms, so a checking process runs this check, and not the
 * process that serves requests. Never throws.
 */
export function checkDashes(document: DesignDocument): DocumentProblem[] {
  const layers = document.placements.flatMap((placement) => placement.layers)
  const pathLength = layers.reduce((sum, layer) => sum + (definitionOf(layer).pathLength?.(layer) ?? 0), 0)
  // If the path data exceed their limit, `checkDocument` already reports this, and reading the paths would take too
  // long.
  if (pathLength > DOCUMENT_LIMITS.totalPathLength) return []
  const excess = findExcess(dashShares(document), DOCUMENT_LIMITS.dashes)
  if (excess === undefined) return []
  const detail = `The strokes have about ${Math.ceil(excess.total)} dashes together; at most ${DOCUMENT_LIMITS.dashes} are allowed.`
  return [{ code: 'too_many_dashes', pointer: excess.pointer, detail }]
}

/** Counts how many dashes fixes may add to a document before it exceeds the limit of dashes. */
export function spareDashesOf(document: DesignDocument): number {
  return Math.max(0, DOCUMENT_LIMITS.dashes - dashShares(document).reduce((sum, { amount }) => sum + amount, 0))
}

function dashShares({ placements }: DesignDocument): { amount: number; pointer: string }[] {
  return placements.flatMap(({ layers }, p) =>
    layers.map((layer, l) => ({
      amount: engineOf(layer).countDashes?.(layer) ?? 0,
      pointer: `/placements/${p}/layers/${l}/stroke/dashMm`,
    })),
  )
}
