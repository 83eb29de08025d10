/** Rounds to three decimals, as lengths in documents have. */
export function roundMm(mm: number): number {
  // Adding 0 turns -0 into 0.
  return Math.round(mm * 1000) / 1000 + 0
}
