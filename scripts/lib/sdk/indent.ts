/** Indents generated code by its braces. Comments have the level of the line that follows them. */
export function indent(text: string): string {
  let level = 0
  return text
    .split('\n')
    .map((line) => {
      const isComment = /^ ?\*|^\/\*\*/.test(line)
      if (!isComment && line.startsWith('}')) level -= 1
      const indented = line === '' ? '' : `${'  '.repeat(level)}${line}`
      if (!isComment && line.endsWith('{')) level += 1
      return indented
    })
    .join('\n')
}
