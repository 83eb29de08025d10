import { Marked, type Tokens } from 'marked'
import { escapeHtml } from '../html.ts'

const marked = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    heading({ tokens }: Tokens.Heading) {
      return `<h3>${this.parser.parseInline(tokens)}</h3>`
    },
    link({ href, tokens }: Tokens.Link) {
      const label = this.parser.parseInline(tokens)
      return /^(https?:\/\/|\/(?!\/))/.test(href) ? `<a href="${escapeHtml(href)}">${label}</a>` : label
    },
    image: ({ text }) => escapeHtml(text),
    checkbox: () => '',
    table(token: Tokens.Table) {
      return `<p>${escapeHtml(token.raw)}</p>`
    },
    code: ({ text }) => `<p>${escapeHtml(text)}</p>`,
  },
})

/** Renders the description of a product. HTML in it is text, and only links to web pages are links. */
export function renderProductMarkdown(source: string): string {
  return source === '' ? '' : `<div class="prose">${marked.parse(source, { async: false })}</div>`
}
