/** Where a command writes to. */
export type Output = Pick<NodeJS.WriteStream, 'write'>

/** Control characters (C0, DEL, C1), the line and paragraph separators, and what turns the order of what is read. */
const DISRUPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Escapes all with which a text can move a terminal's cursor, end a line or turn the order of what is read. */
export function printable(text: string): string {
  return text.replaceAll(DISRUPTIVE, (character) => `\\u{${codeOf(character)}}`)
}

/** Writes one line. Only this and `sayJson` write text, so that nothing a customer has written reaches a terminal as it is. */
export function say(line: string, out: Output = process.stdout): void {
  out.write(`${printable(line)}\n`)
}

/** Writes one line to the standard error output. */
export function complain(line: string, err: Output = process.stderr): void {
  say(line, err)
}

/** Writes a value as JSON over several lines. In it, disruptive characters occur in strings only, where they can be escaped. */
export function sayJson(value: unknown, out: Output = process.stdout): void {
  const text = JSON.stringify(value, null, 2)
  const escaped = text.replaceAll(DISRUPTIVE, (character) =>
    character === '\n' ? character : `\\u${codeOf(character).padStart(4, '0')}`,
  )
  out.write(`${escaped}\n`)
}

function codeOf(character: string): string {
  return character.codePointAt(0)?.toString(16) ?? ''
}
