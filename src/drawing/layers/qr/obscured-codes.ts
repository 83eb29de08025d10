import type { CheckContext } from '../../checks/context.ts'
import type { Layer } from '../../document/layer-types.ts'
import { checkContrast, checkCover } from './check-qr.ts'
import { isSeeThrough } from './contrast.ts'

/** The effort of examining one layer below a code. The unit is the layout of one character. */
export const EFFORT_PER_GROUND = 2

/**
 * Tells whether replacing the shape `layer` by `remedy` would cause a contrast issue in a code above the shape, or a
 * cover issue in a code below the shape.
 */
export function obscuresCodes(layer: Layer, remedy: Layer, context: CheckContext): boolean {
  if (layer.type !== 'shape') return false
  const index = context.layers.indexOf(layer)
  const after = { ...context, layers: context.layers.with(index, remedy) }
  return context.layers.some((code, at) => {
    if (code.type !== 'qr' || (at > index && !isSeeThrough(code))) return false
    // The factor is 2 because each code is checked twice: before and after the change. If no effort is left, the code
    // cannot be checked. The function then returns true, so that preflight does not offer the fix.
    context.work.left -= 2 * EFFORT_PER_GROUND * context.layers.length
    if (context.work.left <= 0) return true
    const check = at > index ? checkContrast : checkCover
    return check(code, after).length > check(code, context).length
  })
}
