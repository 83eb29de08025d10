/** Points (1/72 inch) per millimetre. */
export const PT_PER_MM = 72 / 25.4

export function mmToPt(mm: number): number {
  return mm * PT_PER_MM
}

export function ptToMm(pt: number): number {
  return pt / PT_PER_MM
}

/** The tolerance for comparisons with an exact limit, in millimetres. Float arithmetic leaves smaller errors. */
export const EPSILON_MM = 1e-6

export function ceilMm(mm: number): number {
  return Math.ceil(mm * 1000 - EPSILON_MM) / 1000 + 0
}

export function floorMm(mm: number): number {
  return Math.floor(mm * 1000 + EPSILON_MM) / 1000 + 0
}

/** Formats a number for a message, with at most `decimals` digits after the point. */
export function shown(value: number, decimals = 2): string {
  return String(Number(value.toFixed(decimals)))
}
