/** A place that violates docs/GLOSSARY.md or the rules of CONTRIBUTING.md. */
export interface ProseFinding {
  line: number
  message: string
}

const MAX_SENTENCE_WORDS = 40
const MAX_PARAGRAPH_LINES = 6
const MAX_SUBJECT_LENGTH = 72
const LINE_WIDTH = 120

const BANNED: readonly (readonly [RegExp, string])[] = [
  // `nobody` in quotes is a user of the operating system, so it is allowed.
  [
    /\b(?:whoever|whomever|somebody|(?<!['`])nobody|everybody|anybody)\b/i,
    'name the actor: the caller, the customer, a client',
  ],
  [/\bhalf done\b/i, 'write: atomic'],
  [/\b(?:ends?|exits?) with 0:/i, 'write: Exit status: 0 ...'],
  [/\bone of those that\b/i, 'say what it is'],
  [/\bstops? to [a-z]+/i, 'write: stops working'],
  [/\bthere (?:is|are) (?:and was )?no such\b/i, 'write: not found'],
  [/\bsigns? anybody in\b/i, 'write: invalid credentials'],
  [/\bways? in(?:\b(?! (?:which|that))|to (?:an|the) account)/i, 'write: sign-in method'],
  [/\bstand-ins?\b/i, 'write: fake, or placeholder image'],
  [/\b(?:give|gives|gave|given) way\b|\bmake way\b/i, 'write: abandon, supersede'],
  [/\bwhat (?:came|comes|became) of\b/i, 'write: outcome'],
  [/\b(?:doubted|must ask|storehouse)\b/i, 'see docs/GLOSSARY.md'],
  [/\bor no longer\b/i, 'write: invalid or expired'],
]

/** In documentation, the word "address" must say which kind it is: IP, email or postal. A web address is a URL. */
const BARE_ADDRESS = /(?<!\b(?:IP|email|postal|shipping|loopback|link-local)\s)\baddress(?:es)?\b(?! space)/i

export function checkPhrases(text: string): ProseFinding[] {
  return text.split('\n').flatMap((line, index) =>
    BANNED.flatMap(([phrase, instead]) => {
      const found = phrase.exec(line)?.[0]
      return found === undefined ? [] : [{ line: index + 1, message: `"${found}": ${instead}` }]
    }),
  )
}

/**
 * Applies all rules to Markdown: phrases, kinds of addresses, and the length of sentences and paragraphs. Code and
 * quoted terms are not checked.
 */
export function checkMarkdown(source: string): ProseFinding[] {
  const text = withoutCode(source)
  const found = checkPhrases(text)
  for (const { line, lines } of blocksOf(text)) {
    const height = lines.reduce((sum, each) => sum + Math.ceil(each.length / LINE_WIDTH), 0)
    if (lines[0]?.startsWith('|') !== true && height > MAX_PARAGRAPH_LINES) {
      found.push({
        line,
        message: `a paragraph of ${height} lines (limit ${MAX_PARAGRAPH_LINES}): split it, or make it a table`,
      })
    }
    for (const cell of lines.join(' ').split('|')) found.push(...checkCell(cell, line))
  }
  return found
}

function checkCell(cell: string, line: number): ProseFinding[] {
  const found = cell.split(/(?<=[.!?])\s+/).flatMap((sentence) => {
    const words = sentence.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
    return words > MAX_SENTENCE_WORDS
      ? [
          {
            line,
            message: `a sentence of ${words} words (limit ${MAX_SENTENCE_WORDS}): ${sentence.trim().slice(0, 60)}...`,
          },
        ]
      : []
  })
  return BARE_ADDRESS.test(cell)
    ? [...found, { line, message: '"address": write URL, IP, email or postal address' }]
    : found
}

/** Replaces code blocks by empty lines and code spans by a word, so that line numbers stay correct. */
function withoutCode(source: string): string {
  return source
    .replace(/^( *)```[\s\S]*?^\1```/gm, (block) => block.replace(/[^\n]/g, ''))
    .replace(/`[^`]*`/g, (span) => `code${'\n'.repeat(span.split('\n').length - 1)}`)
    .replace(/\]\([^)]*\)/g, ']')
}

function blocksOf(text: string): { line: number; lines: string[] }[] {
  const blocks: { line: number; lines: string[] }[] = []
  let open = false
  for (const [index, line] of text.split('\n').entries()) {
    const starts = /^\s*(?:[-*|#]|\d+\.)/.test(line)
    if (line.trim() === '') open = false
    else if (open && !starts) blocks.at(-1)?.lines.push(line.trim())
    else {
      blocks.push({ line: index + 1, lines: [line.trim()] })
      open = true
    }
  }
  return blocks
}

/**
 * Returns the comments and quoted texts of a TypeScript file, without the paths of imports. Other code is replaced by
 * blanks, so that line numbers stay correct.
 */
export function proseOfCode(source: string): string {
  const pieces = /(\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/[^\n]*|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/
  return source
    .replace(/\bfrom '[^']*'/g, (path) => ' '.repeat(path.length))
    .split(pieces)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replace(/[^\n]/g, ' ')))
    .join('')
}

/** Returns a message if a commit subject is too long. */
export function checkSubject(subject: string): string | undefined {
  if (subject.length <= MAX_SUBJECT_LENGTH) return undefined
  return `a subject of ${subject.length} characters (limit ${MAX_SUBJECT_LENGTH})`
}
