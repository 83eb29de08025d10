import type { Raster } from './pdfium.ts'

/**
 * Returns the mean absolute difference between the red, green and blue samples of two images of the same size: 0 for
 * equal images, 1 between black and white.
 */
export function meanDifference(a: Raster, b: Raster): number {
  if (a.width !== b.width || a.height !== b.height) throw new RangeError('The images differ in size')
  let sum = 0
  for (let at = 0; at < a.data.length; at += 4) {
    for (let channel = at; channel < at + 3; channel += 1) {
      sum += Math.abs((a.data[channel] ?? 0) - (b.data[channel] ?? 0))
    }
  }
  return sum / (255 * 3 * a.width * a.height)
}
