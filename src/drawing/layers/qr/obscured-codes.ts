import type { CheckContext } from '../../checks/context.ts'
import type { Layer } from '../../document/layer-types.ts'
import { checkContrast, checkCover } from './check-qr.ts'
import { isSeeThrough } from './contrast.ts'

/** The effort of looking at one layer as what a code stands on, in characters laid out. */
export const EFFORT_PER_GROUND = 2

/** Whether a changed shape would leave a code without contrast that it is seen through, or cover one below. */
export function obscuresCodes(layer: Layer, remedy: Layer, context: CheckContext): boolean {
  if (layer.type !== 'shape') return false
  const index = context.layers.indexOf(layer)
  const after = { ...context, layers: context.layers.with(index, remedy) }
  return context.layers.some((code, at) => {
    if (code.type !== 'qr' || (at > index && !isSeeThrough(code))) return false
    // Twice, as it was and as it would be. Without work left nothing is known of the code, and nothing is offered.
    context.work.left -= 2 * EFFORT_PER_GROUND * context.layers.length
    if (context.work.left <= 0) return true
    const check = at > index ? checkContrast : checkCover
    return check(code, after).length > check(code, context).length
  })
}
