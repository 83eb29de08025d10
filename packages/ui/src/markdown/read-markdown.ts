import { Lexer, type Token, Tokenizer, type TokensList } from 'marked'

/**
 * Limits of what is read as Markdown. A text beyond them is shown as it is written, because reading it could take
 * seconds or exceed the stack.
 */
const LIMITS = {
  /** Lists and quotes inside of each other. */
  blocks: 8,
  /** Emphasis and links inside of each other. */
  spans: 8,
  /** Characters of a paragraph, and of a cell of a table. */
  length: 5_000,
  /** Characters of a paragraph that can start or end a mark, because the cost grows with their square. */
  marks: 100,
} as const

const MARKS = /[*_~`[\]<]/g

/**
 * Reads CommonMark. HTML in it is text: there are no tokens of HTML, and none that turn off escaping, as `<pre>` does
 * otherwise. The cost is bounded, and nothing is left out.
 */
export function readMarkdown(source: string): Token[] {
  try {
    return new BoundedLexer({ gfm: true, tokenizer: new TextTokenizer() }).lex(source)
  } catch {
    return plainParagraphs(source)
  }
}

/** Whether a URL leads to a web page or to a page of the shop. Browsers ignore tabs, and read `/\\` as `//`. */
export function isWebLink(url: string): boolean {
  return /^(https?:\/\/|\/(?![/\\]))/.test(url) && !/[\t\r\n]/.test(url)
}

class TextTokenizer extends Tokenizer {
  override html(): undefined {}

  override tag(): undefined {}
}

class BoundedLexer extends Lexer {
  #blocks = 0
  #spans = 0

  override blockTokens(source: string, tokens?: Token[], isClipped?: boolean): Token[]
  override blockTokens(source: string, tokens?: TokensList, isClipped?: boolean): TokensList
  override blockTokens(source: string, tokens: Token[] = [], isClipped?: boolean): Token[] {
    if (this.#blocks > LIMITS.blocks) return addAll(tokens, plainParagraphs(source))
    this.#blocks += 1
    try {
      return super.blockTokens(source, tokens, isClipped)
    } finally {
      this.#blocks -= 1
    }
  }

  override inlineTokens(source: string, tokens: Token[] = []): Token[] {
    if (this.#spans > LIMITS.spans || !isCheap(source)) return addAll(tokens, [plainText(source)])
    this.#spans += 1
    try {
      return super.inlineTokens(source, tokens)
    } finally {
      this.#spans -= 1
    }
  }
}

function isCheap(source: string): boolean {
  return source.length <= LIMITS.length && (source.match(MARKS)?.length ?? 0) <= LIMITS.marks
}

function addAll(tokens: Token[], added: readonly Token[]): Token[] {
  for (const token of added) tokens.push(token)
  return tokens
}

function plainParagraphs(source: string): Token[] {
  return source
    .split(/\n\s*\n/)
    .filter((text) => text.trim() !== '')
    .map((text) => ({ type: 'paragraph', raw: text, text, tokens: [plainText(text)] }))
}

const plainText = (text: string): Token => ({ type: 'text', raw: text, text, escaped: false })
