/**
 * Lengths have three decimals (micrometres). A difference from this up to `LENGTH_NOISE` is a float error and is
 * rounded away.
 */
export const LENGTH_NOISE = 1e-6

/** Rounds to three decimals; NaN and infinities stay unchanged. */
export function roundLength(mm: number): number {
  // The addition turns -0, which JSON cannot distinguish, into 0.
  return Math.round(mm * 1000) / 1000 + 0
}

/** Removes float noise; a length with more decimals stays as it is, so that `checkDocument` reports it. */
export function cleanLength(mm: number): number {
  const rounded = roundLength(mm)
  return Math.abs(rounded - mm) <= LENGTH_NOISE ? rounded : mm
}
