export type Output = Pick<NodeJS.WriteStream, 'write'>

/** The standard streams. Tests use other objects. */
export interface Terminal {
  out: Output & { isTTY: boolean }
  err: Output
}

/** Control characters (C0, DEL, C1), line and paragraph separators, and characters that change the text direction. */
const DISRUPTIVE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** Escapes every character that could move the cursor, end a line or change the text direction. */
export function printable(text: string): string {
  return text.replaceAll(DISRUPTIVE, (character) => `\\u{${codeOf(character)}}`)
}

/**
 * Writes one line. Commands must write text only with this function or `writeJson`, so that a terminal never interprets
 * text of customers.
 */
export function writeLine(line: string, out: Output = process.stdout): void {
  out.write(`${printable(line)}\n`)
}

export function writeError(line: string, err: Output = process.stderr): void {
  writeLine(line, err)
}

/** Writes a value as indented JSON. Control characters can occur only within its strings, where JSON allows escapes. */
export function writeJson(value: unknown, out: Output = process.stdout): void {
  writeEscapedJson(JSON.stringify(value, null, 2), out)
}

/** Writes a value as JSON on one line, as in JSON Lines. */
export function writeJsonLine(value: unknown, out: Output = process.stdout): void {
  writeEscapedJson(JSON.stringify(value), out)
}

function writeEscapedJson(text: string, out: Output): void {
  const escaped = text.replaceAll(DISRUPTIVE, (character) =>
    character === '\n' ? character : `\\u${codeOf(character).padStart(4, '0')}`,
  )
  out.write(`${escaped}\n`)
}

function codeOf(character: string): string {
  return character.codePointAt(0)?.toString(16) ?? ''
}

/**
 * Ignores errors of closed output, so that the service can still shut down properly after its terminal was closed.
 * Other commands may end when their output is closed.
 */
export function ignoreClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.removeAllListeners('error')
    stream.on('error', () => undefined)
  }
}
