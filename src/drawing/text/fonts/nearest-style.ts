import type { FontStyleName } from './font-book.ts'

/**
 * Finds the nearest style: first upright or italic, then the weight (CSS Fonts 4, section 5.2, "Matching font styles").
 * Bold and italic are never synthesized.
 */
export function nearestStyle<Style extends { weight: number; style: FontStyleName }>(
  styles: readonly Style[],
  wanted: { weight: number; style: FontStyleName },
): Style | undefined {
  const sameStyle = styles.filter(({ style }) => style === wanted.style)
  const candidates = sameStyle.length > 0 ? sameStyle : styles
  return [...candidates].sort((a, b) => weightRank(a.weight, wanted.weight) - weightRank(b.weight, wanted.weight))[0]
}

// Ranks weights in three bands: the exact weight, then the direction (lighter or heavier) that CSS searches first, then
// the other direction. Within a band, nearer weights rank first.
function weightRank(weight: number, wanted: number): number {
  const distance = Math.abs(weight - wanted)
  const [second, third] = [1_000, 2_000]
  if (wanted >= 400 && wanted <= 500) {
    if (weight >= wanted && weight <= 500) return distance
    return (weight < wanted ? second : third) + distance
  }
  const searchedFirst = wanted < 400 ? weight <= wanted : weight >= wanted
  return (searchedFirst ? 0 : second) + distance
}
