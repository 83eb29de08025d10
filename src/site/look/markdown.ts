import { Marked, type RendererObject, type Token, type Tokens } from 'marked'
import { isWebLink, readMarkdown } from '../../../packages/ui/src/markdown/read-markdown.ts'
import { escapeHtml } from '../html.ts'

const isPageLink = (url: string): boolean => isWebLink(url) || /^(mailto|tel):/.test(url)

/** HTML in a text is text, and only some URLs are links. Pictures would come from other sites, which the policy refuses. */
const safe = (isLink: (url: string) => boolean): RendererObject => ({
  html: ({ text }) => escapeHtml(text),
  link({ href, tokens }: Tokens.Link) {
    const label = this.parser.parseInline(tokens)
    return isLink(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : label
  },
  image: ({ text }) => escapeHtml(text),
  checkbox: () => '',
  code: ({ text }) => `<p>${escapeHtml(text)}</p>`,
})

const products = new Marked({
  renderer: {
    ...safe(isWebLink),
    heading({ tokens }: Tokens.Heading) {
      return `<h3>${this.parser.parseInline(tokens)}</h3>`
    },
    table: (token: Tokens.Table) => `<p>${escapeHtml(token.raw)}</p>`,
  },
})

const pages = new Marked({
  renderer: {
    ...safe(isPageLink),
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(4, Math.max(2, depth))
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`
    },
    table({ header, rows }: Tokens.Table) {
      const row = (cells: readonly Tokens.TableCell[], start: string, end: string): string =>
        `<tr>${cells.map(({ tokens }) => `${start}${this.parser.parseInline(tokens)}${end}`).join('')}</tr>`
      const head = row(header, '<th scope="col">', '</th>')
      const body = rows.map((cells) => row(cells, '<td>', '</td>')).join('')
      return `<div class="table" tabindex="0"><table><thead>${head}</thead><tbody>${body}</tbody></table></div>`
    },
  },
})

/** Renders the description of a product. */
export function renderProductMarkdown(source: string): string {
  return source === '' ? '' : `<div class="prose">${products.parser(readMarkdown(source))}</div>`
}

/** Renders a page of the shop. Its first heading is the title, which the HTML does not repeat. */
export function renderPageMarkdown(source: string): { title: string; html: string } {
  const tokens = readMarkdown(source)
  const at = tokens.findIndex(({ type }) => type === 'heading')
  const title = plainText((tokens[at] as Tokens.Heading | undefined)?.tokens ?? [])
  const rest: Token[] = tokens.filter((_, index) => index !== at)
  return { title, html: pages.parser(rest) }
}

const plainText = (tokens: readonly Token[]): string =>
  tokens
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return plainText(token.tokens)
      return 'text' in token ? String(token.text) : token.raw
    })
    .join('')
