import { type DocumentProblem, findExcess } from './document/check-document.ts'
import { type DesignDocument, DOCUMENT_LIMITS } from './document/design-document.ts'
import { countDashes } from './layers/shape/count-dashes.ts'

/**
 * Checks that the strokes of a document have no more dashes than can be drawn in bounded time. Reading the paths of a
 * document takes up to 80 ms, so the process that serves requests leaves this to a checking process. Never throws.
 */
export function checkDashes(document: DesignDocument): DocumentProblem[] {
  const shapes = listShapes(document)
  const pathLength = shapes.reduce((sum, { layer }) => sum + (layer.path?.length ?? 0), 0)
  // `checkDocument` reports such a document. Reading its paths would take too long.
  if (pathLength > DOCUMENT_LIMITS.totalPathLength) return []
  const shares = shapes.map(({ layer, pointer }) => ({
    amount: countDashes(layer),
    pointer: `${pointer}/stroke/dashMm`,
  }))
  const excess = findExcess(shares, DOCUMENT_LIMITS.dashes)
  if (excess === undefined) return []
  const detail = `The strokes have about ${Math.ceil(excess.total)} dashes together; at most ${DOCUMENT_LIMITS.dashes} are allowed.`
  return [{ code: 'too_many_dashes', pointer: excess.pointer, detail }]
}

/** How many dashes may be added to a document. */
export function spareDashesOf(document: DesignDocument): number {
  const count = listShapes(document).reduce((sum, { layer }) => sum + countDashes(layer), 0)
  return Math.max(0, DOCUMENT_LIMITS.dashes - count)
}

function listShapes({ placements }: DesignDocument) {
  return placements.flatMap(({ layers }, p) =>
    layers.flatMap((layer, l) => (layer.type === 'shape' ? [{ layer, pointer: `/placements/${p}/layers/${l}` }] : [])),
  )
}
