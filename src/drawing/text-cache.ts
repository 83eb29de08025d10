/** A cache with texts as keys. It removes entries that were not used recently. */
export interface TextCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

// The size of the cache is measured by its keys, because a key contains the text and a value is about as large as its
// text.
const GENERATION_CHARACTERS = 60_000

/**
 * Creates a cache of two generations. When the young generation is full, the entries of the old generation are removed,
 * and the young generation becomes the old one.
 *
 * @param generationCharacters total length of the texts of a full generation
 */
export function createTextCache<Value>(generationCharacters: number = GENERATION_CHARACTERS): TextCache<Value> {
  let young = new Map<string, Value>()
  let old = new Map<string, Value>()
  let characters = 0

  function set(key: string, value: Value): void {
    if (characters >= generationCharacters) {
      old = young
      young = new Map()
      characters = 0
    }
    young.set(key, value)
    characters += key.length
  }

  return {
    get(key) {
      const known = young.get(key)
      if (known !== undefined) return known
      const older = old.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
    set,
  }
}
