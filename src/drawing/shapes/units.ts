/** Points (1/72 inch) in a millimetre. */
export const PT_PER_MM = 72 / 25.4

export function mmToPt(mm: number): number {
  return mm * PT_PER_MM
}

export function ptToMm(pt: number): number {
  return pt / PT_PER_MM
}

/** What float arithmetic may leave of an exact limit, in millimetres. */
export const EPSILON_MM = 1e-6

/** The next length with three decimals that is not smaller. */
export function ceilMm(mm: number): number {
  return Math.ceil(mm * 1000 - EPSILON_MM) / 1000 + 0
}

/** The next length with three decimals that is not larger. */
export function floorMm(mm: number): number {
  return Math.floor(mm * 1000 + EPSILON_MM) / 1000 + 0
}

/** A number as people read it in a message: at most `decimals` digits after the point. */
export function shown(value: number, decimals = 2): string {
  return String(Number(value.toFixed(decimals)))
}
