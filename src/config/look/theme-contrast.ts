import { contrast } from '../../platform/colors.ts'
import { colorsOf, SCHEMES, type Tokens } from './tokens.ts'

const BACKGROUNDS = ['paper', 'surface', 'surface-2']
const STATES = ['good', 'warning', 'danger']

/** Which colours appear on which, with the contrast that WCAG 2.2 requires of text (1.4.3) and of outlines (1.4.11). */
const PAIRS: readonly (readonly [front: string, backs: readonly string[], least: number])[] = [
  ['ink', [...BACKGROUNDS, 'accent-soft', ...STATES.map((state) => `${state}-soft`)], 4.5],
  ['ink-2', BACKGROUNDS, 4.5],
  ['accent', [...BACKGROUNDS, 'accent-soft'], 4.5],
  ['accent-strong', ['accent-soft'], 4.5],
  ['on-accent', ['accent', 'accent-strong'], 4.5],
  ['on-fill', ['fill', 'fill-strong'], 4.5],
  ...STATES.map((state) => [state, ['paper', 'surface'], 4.5] as const),
  ...STATES.map((state) => [state, [`${state}-soft`], 3] as const),
  ['line-strong', ['paper', 'surface'], 3],
]

/** Returns what is hard to read with these tokens, as a part of a sentence; undefined if nothing is. */
export function findUnreadable(tokens: Tokens): string | undefined {
  for (const scheme of SCHEMES) {
    const colorOf = colorsOf(tokens, scheme)
    for (const [front, backs, least] of PAIRS) {
      const back = backs.find((one) => contrast(colorOf(front), colorOf(one)) < least)
      if (back === undefined) continue
      const found = Math.floor(contrast(colorOf(front), colorOf(back)) * 100) / 100
      return `gives --pl-${front} (${colorOf(front)}) a contrast of ${found} to --pl-${back} (${colorOf(back)}) in the ${scheme} scheme, but at least ${least} is needed`
    }
  }
  return undefined
}
