/** Digits and signs around a word. */
const EDGE = /^[\d\s!-/:-@[-`{-~]+|[\d\s!-/:-@[-`{-~]+$/g

/** Shorter numbers are mostly dates, telephone numbers or rows of the keyboard. */
const SHORTEST_NUMBER = 16

/** Loaded with the first password that is set, so that other processes save its memory. */
let loading: Promise<ReadonlySet<string>> | undefined

/**
 * Whether a password is in the list of the 49,000 most frequent ones (`@zxcvbn-ts/language-common`), also when it was
 * only lengthened: with digits and signs around it, or by writing the same thing several times.
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
 * The shortest text of which this one is a repetition, whatever separates the parts: `abc-abc-abc` gives `abc`.
 * Without a regular expression: one with a back-reference takes exponential time for some passwords.
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
