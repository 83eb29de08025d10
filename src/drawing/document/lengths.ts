/** Lengths have three decimals, a micrometre. A number this near to one with three is float noise and is rounded. */
export const LENGTH_NOISE = 1e-6

/** The nearest length with at most three decimals; NaN and infinities stay what they are. */
export function roundLength(mm: number): number {
  // The sum turns -0, which JSON cannot tell from 0, into 0.
  return Math.round(mm * 1000) / 1000 + 0
}

/** Removes float noise; a length with more decimals stays as it is, so that `checkDocument` reports it. */
export function cleanLength(mm: number): number {
  const rounded = roundLength(mm)
  return Math.abs(rounded - mm) <= LENGTH_NOISE ? rounded : mm
}
