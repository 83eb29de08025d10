/** One choice of a variant, such as the value `matt` of the option `Paper`. */
export interface Choice {
  name: string
  value: string
}

/** Writes choices such as `Paper: matt; Finish: gloss`. Names and values that contain `:`, `;` or `"` are quoted. */
export function writeChoices(choices: readonly Choice[]): string {
  return choices.map(({ name, value }) => `${quoted(name)}: ${quoted(value)}`).join('; ')
}

/**
 * Reads what `writeChoices` has written, or a user in the same form.
 *
 * @returns undefined if the text has another form
 */
export function readChoices(text: string): Choice[] | undefined {
  const choices = splitAt(';', tokensOf(text))
    .filter((tokens) => tokens.join('').trim() !== '')
    .map(choiceOf)
  return choices.every((choice) => choice !== undefined) ? choices : undefined
}

const quoted = (part: string): string => (/[:;"]/.test(part) ? `"${part.replaceAll('"', '""')}"` : part)

/** Splits a text into quoted parts, separators and what is between them. */
const tokensOf = (text: string): string[] => text.match(/"(?:[^"]|"")*"|[:;"]|[^:;"]+/g) ?? []

function splitAt(separator: string, tokens: readonly string[]): string[][] {
  const parts: string[][] = [[]]
  for (const token of tokens) {
    if (token === separator) parts.push([])
    else parts.at(-1)?.push(token)
  }
  return parts
}

function choiceOf(tokens: readonly string[]): Choice | undefined {
  // Only the first colon separates, so a value may contain others.
  const [name = [], ...values] = splitAt(':', tokens)
  const choice = {
    name: partOf(name),
    value: partOf(values.flatMap((part, index) => (index > 0 ? [':', ...part] : part))),
  }
  return choice.name === '' || choice.value === '' ? undefined : choice
}

/** Returns the text of a name or value. Empty if quotes are not around the whole of it. */
function partOf(tokens: readonly string[]): string {
  const text = tokens.join('').trim()
  if (!text.includes('"')) return text
  const isQuoted = tokens.filter((token) => token.trim() !== '').length === 1 && text.length > 1
  return isQuoted ? text.slice(1, -1).replaceAll('""', '"') : ''
}
