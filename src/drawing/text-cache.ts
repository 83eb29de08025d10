/** A cache with texts as keys that forgets what was not used recently. */
export interface TextCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

// Keys contain the text, and values are about as large as their text.
const GENERATION_CHARACTERS = 60_000

/**
 * Creates a cache of two generations: when the young one is full, it replaces the old one, which is forgotten.
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
