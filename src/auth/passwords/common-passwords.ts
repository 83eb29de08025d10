/** Digits, blanks and punctuation at the beginning or end of a password. */
const EDGE = /^[\d\s!-/:-@[-`{-~]+|[\d\s!-/:-@[-`{-~]+$/g

/**
 * Passwords of digits and punctuation that are shorter than this count as common: they are mostly dates, telephone
 * numbers or rows of the keyboard.
 */
const SHORTEST_NUMBER = 16

/** The list is loaded when the first new password is checked. Processes that check no passwords save the memory. */
let loading: Promise<ReadonlySet<string>> | undefined

/**
 * Returns whether a password counts as common. It does if it is one of the 49,000 most frequent passwords
 * (`@zxcvbn-ts/language-common`), or becomes one when digits and punctuation around it or repetitions are removed.
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
 * Finds the shortest text that was repeated to form this text, where separators do not count: `abc-abc-abc` gives
 * `abc`. It uses no regular expression, because a back-reference takes exponential time for some passwords.
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
