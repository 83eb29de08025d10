/** Digits and punctuation around a word. */
const EDGE = /^[\d\s!-/:-@[-`{-~]+|[\d\s!-/:-@[-`{-~]+$/g

/** Shorter numbers are mostly dates, telephone numbers or rows of the keyboard. */
const SHORTEST_NUMBER = 16

/** Loaded with the first new password, so that other processes save its memory. */
let loading: Promise<ReadonlySet<string>> | undefined

/**
 * Returns whether a password is one of the 49,000 most frequent ones (`@zxcvbn-ts/language-common`), also after
 * removing digits and punctuation around it or repetitions.
 */
export async function isCommonPassword(password: string): Promise<boolean> {
  loading ??= load()
  const list = await loading
  const lower = password.toLowerCase()
  if (list.has(lower)) return true
  const core = lower.replace(EDGE, '')
  if (core === '') return lower.length < SHORTEST_NUMBER
  if (list.has(core)) return true
  return [lower, core].map(repeatedUnit).some((unit) => [...unit].length < 4 || list.has(unit))
}

/**
 * Finds the shortest text of which this one is a repetition, with any separators: `abc-abc-abc` gives `abc`. Without a
 * regular expression, because a back-reference takes exponential time for some passwords.
 */
function repeatedUnit(text: string): string {
  const joined = text.replace(/[-_. ]/g, '')
  const period = `${joined}${joined}`.indexOf(joined, 1)
  return period > 0 && period < joined.length ? joined.slice(0, period) : text
}

async function load(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map(String))
}
