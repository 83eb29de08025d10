/** Keeps values that belong to texts, and forgets those that have not been asked for of late. */
export interface TextCache<Value> {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

// What is kept is as large as the text that it is for, and keys hold the text.
const GENERATION_CHARACTERS = 60_000

/**
 * A cache of two generations: when the young one is full, it becomes the old one, and the old one is forgotten.
 *
 * @param generationCharacters how many characters of texts make a generation full
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
