/** Counts by key. A key takes memory only while its count is not zero. */
export interface Counts {
  of(key: string): number
  add(key: string, change: number): void
  /** Number of keys whose count is not zero. */
  size(): number
}

export function createCounts(): Counts {
  const counts = new Map<string, number>()
  const of = (key: string): number => counts.get(key) ?? 0
  return {
    of,
    size: () => counts.size,
    add: (key, change) => {
      const next = of(key) + change
      if (next === 0) counts.delete(key)
      else counts.set(key, next)
    },
  }
}
