/** A deterministic source of random choices. */
export type Random = {
  /** Returns a whole number from 0 to `count - 1`. */
  below(count: number): number
  /** Returns true with the given probability. */
  chance(probability: number): boolean
  pick<Value>(values: readonly Value[]): Value
}

/**
 * Creates the source of choices for one case. The same seed and case number give the same choices (generator sfc32).
 */
export function createRandom(seed: number, caseNumber: number): Random {
  let [a, b, c, counter] = [seed | 0, caseNumber | 0, 0x9e3779b9 | 0, 1]
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = ((c << 21) | (c >>> 11)) + sum
    c |= 0
    return sum >>> 0
  }
  // The first outputs still resemble the seed, so they are skipped.
  for (let i = 0; i < 12; i += 1) next()
  const below = (count: number): number => next() % Math.max(1, count)
  return {
    below,
    chance: (probability) => next() / 2 ** 32 < probability,
    pick(values) {
      if (values.length === 0) throw new RangeError('Nothing to choose from')
      return values[below(values.length)] as (typeof values)[number]
    },
  }
}
