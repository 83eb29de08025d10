/** One choice of a variant, such as the value `matt` of the option `Paper`. */
export interface Choice {
  name: string
  value: string
}

/** Writes choices such as `Paper: matt; Finish: gloss`. Names and values that contain `:` or `;` are quoted. */
export function writeChoices(choices: readonly Choice[]): string {
  return choices.map(({ name, value }) => `${quoted(name)}: ${quoted(value)}`).join('; ')
}

/**
 * Reads what `writeChoices` has written, or a user in the same form. A quotation mark within a part is that of inches.
 *
 * @returns undefined if the text has another form
 */
export function readChoices(text: string): Choice[] | undefined {
  const choices: Choice[] = []
  let at = 0
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at
    const [found = ''] = pattern.exec(text) ?? []
    at += found.length
    return found
  }
  const takePart = (plain: RegExp): string => unquoted(take(QUOTED) || take(plain))
  for (take(BETWEEN); at < text.length; take(BETWEEN)) {
    const name = takePart(NAME)
    const isSeparated = take(COLON) !== ''
    // Only the first colon separates, so a value may contain others.
    const value = takePart(VALUE)
    if (!isSeparated || name === '' || value === '') return undefined
    choices.push({ name, value })
  }
  return choices
}

/** Ends before a separator, so that a part that only begins with a quotation mark is not quoted. */
const QUOTED = /\s*"(?:[^"]|"")*"\s*(?=[:;]|$)/y
const NAME = /[^:;]*/y
const VALUE = /[^;]*/y
const COLON = /:/y
const BETWEEN = /[\s;]*/y

const quoted = (part: string): string => (/[:;]|^"/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)

function unquoted(part: string): string {
  const text = part.trim()
  return new RegExp(QUOTED).test(text) ? text.slice(1, -1).replaceAll('""', '"') : text
}
