import type { Layer } from '../document/layer-types.ts'
import { EPSILON_MM, shown } from '../shapes/units.ts'
import type { CheckContext } from './context.ts'
import type { Finding } from './issue.ts'
import type { GuardedPoints } from './moves.ts'

interface Guarded {
  /** The name of the content in messages. */
  name: string
  pointsOf: GuardedPoints
  /** How far letters may reach beyond their lines, in millimetres. */
  lettersReachMm: number
  remedies: () => Iterable<Layer>
}

/** Checks whether content that must not be cut keeps the safe margin. */
export function checkSafeArea(
  { name, pointsOf, lettersReachMm, remedies }: Guarded,
  { area, trim }: CheckContext,
): Finding[] {
  const points = pointsOf('lines')
  if (points.length === 0) return []
  const ofLines = trim.inset(points)
  // Measuring letters takes as long as all other checks together, so letters are measured only if they may be cut.
  const ofLetters = ofLines < lettersReachMm ? trim.inset(pointsOf('letters')) : ofLines
  const distance = ofLetters < -EPSILON_MM ? ofLetters : ofLines
  if (distance >= area.safeMarginMm - EPSILON_MM) return []
  const beyondTrim = distance < -EPSILON_MM
  const message = beyondTrim
    ? `${name} reaches ${shown(-distance, 3)} mm beyond the trim edge and would be cut.`
    : `${name} is ${shown(distance, 3)} mm from the trim edge; the safe margin is ${shown(area.safeMarginMm)} mm.`
  return [
    {
      code: 'outside_safe_area',
      severity: beyondTrim ? 'error' : 'warning',
      field: '',
      message,
      measured: distance,
      limit: beyondTrim ? 0 : area.safeMarginMm,
      unit: 'mm',
      remedies,
    },
  ]
}
