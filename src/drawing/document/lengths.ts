/**
 * Lengths have three decimals (micrometres). If a length differs from the rounded length by at most this value, the
 * difference is a float error and is removed.
 */
export const LENGTH_NOISE = 1e-6

/** Rounds to three decimals; NaN and infinities stay unchanged. */
export function roundLength(mm: number): number {
  // Adding 0 turns -0 into 0, because JSON writes both as 0.
  return Math.round(mm * 1000) / 1000 + 0
}

/** Removes float noise. A length with more than three decimals stays unchanged, so that `checkDocument` reports it. */
export function cleanLength(mm: number): number {
  const rounded = roundLength(mm)
  return Math.abs(rounded - mm) <= LENGTH_NOISE ? rounded : mm
}
