import { type DesignDocument, layerFonts } from '../../drawing/index.ts'
import type { Problem } from '../../platform/problem.ts'
import { DocumentTooComplex, type Excess, renderFaultOf } from '../../rendering/index.ts'
import { toRenderProblem } from '../files/render-input.ts'
import { designProblems } from '../problems.ts'

/** What a client is told when a document could not be checked; other errors are returned as they are. */
export function toCheckProblem(error: unknown, document: DesignDocument): unknown {
  if (error instanceof DocumentTooComplex) return tooComplex(error, document)
  const fault = renderFaultOf(error)
  return fault === 'busy' || fault === 'system' ? toRenderProblem(error) : error
}

function tooComplex(error: DocumentTooComplex, document: DesignDocument): Problem {
  const { pointer, ...blamed } = layerAtFault(error, document)
  return designProblems.text_too_complex({
    detail: blamed.detail,
    errors: [{ code: 'text_too_complex', pointer: `/document${pointer}`, ...blamed }],
  })
}

const EXCESS: Readonly<Record<Excess, string>> = {
  time: 'takes too long',
  memory: 'takes too much memory',
  fonts: 'needs more fonts than can be open at once',
  crash: 'fails',
}

/** The layer at which a document became too complex, as a pointer from the document's root, and the font that it names. */
export function layerAtFault(
  { excess, layer: position }: DocumentTooComplex,
  { placements }: DesignDocument,
): { pointer: string; fontFamily?: string; detail: string } {
  const layers = placements.flatMap((placement, p) =>
    placement.layers.map((layer, l) => ({ layer, pointer: `/placements/${p}/layers/${l}` })),
  )
  const { layer, pointer = '' } = layers[position] ?? {}
  const [font] = layer === undefined ? [] : layerFonts(layer)
  if (font === undefined) return { pointer, detail: `Layout of the document ${EXCESS[excess]}.` }
  const { family } = font
  return { pointer, fontFamily: family, detail: `Layout of the text in the font "${family}" ${EXCESS[excess]}.` }
}
