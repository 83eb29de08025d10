import { luminance, over, parseColor } from '@platen/drawing'

const PAPER = { red: 1, green: 1, blue: 1, alpha: 1 }

/** Computes the contrast ratio of a colour on white paper, from 1 to 21 (WCAG 2.2). */
export function contrastOnPaper(color: string): number {
  return 1.05 / (luminance(over(parseColor(color), PAPER)) + 0.05)
}
