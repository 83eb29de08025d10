import { type DesignDocument, layerFonts } from '../../drawing/index.ts'
import type { Problem } from '../../platform/problem.ts'
import { DocumentTooComplex, type Excess, renderFaultOf } from '../../rendering/index.ts'
import { toRenderProblem } from '../files/render-input.ts'
import { designProblems } from '../problems.ts'

/** Maps a failed check to the problem that the client receives. Other errors are returned unchanged. */
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
  time: 'exceeded the limit of processor time',
  memory: 'exceeded the limit of memory',
  fonts: 'needs more fonts than one process can open at once',
  crash: 'fails',
}

/** Finds the layer at which a document became too complex: its pointer from the root of the document, and its font. */
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
