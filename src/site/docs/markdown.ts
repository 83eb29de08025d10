import { posix } from 'node:path'
import { Marked, Renderer, type Tokens } from 'marked'
import type { DocPage, DocSection } from '../doc-page.ts'
import { escapeHtml } from '../html.ts'

/** A Markdown file of the documentation. */
export interface DocSource {
  /** Path relative to the folder of the program, such as `docs/ORDERS.md`. */
  file: string
  /** The heading of the section that is the page. By default, the page is the whole file. */
  section?: string
  path: string
  group: string
}

/** URLs of files to which pages link, by the path of the file. */
export type LinkTargets = ReadonlyMap<string, string>

/** Renders a Markdown file. HTML in the file is shown as text. */
export function renderMarkdown({ file, path, group }: DocSource, text: string, targets: LinkTargets): DocPage {
  const anchors = new Map<string, number>()
  const sections: DocSection[] = []
  let title = file
  const words: string[] = []
  const marked = new Marked({
    gfm: true,
    renderer: {
      html: ({ text: html }) => escapeHtml(html),
      heading({ tokens, depth, text: heading }: Tokens.Heading) {
        const plain = heading.replaceAll('`', '')
        if (depth === 1) title = plain
        const anchor = anchorOf(plain, anchors)
        if (depth > 1) sections.push({ anchor, title: `${title}: ${plain}`, words: '' })
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`
      },
      link({ href, tokens }: Tokens.Link) {
        const label = this.parser.parseInline(tokens)
        const url = urlOf(href, file, targets)
        return url === undefined ? label : `<a href="${escapeHtml(url)}">${label}</a>`
      },
      image: ({ text: alt }) => escapeHtml(alt),
      code: ({ text: code }) => `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>\n`,
      table(token: Tokens.Table) {
        const html = Renderer.prototype.table.call(this, token)
        return `<div class="wide" tabindex="0" role="region" aria-label="Table">${html}</div>`
      },
    },
    walkTokens: (token) => {
      if (token.type === 'paragraph' || token.type === 'table' || token.type === 'list' || token.type === 'code')
        words.push(token.raw)
    },
  })
  const main = marked.parse(text, { async: false })
  return { path, title, group, main, words: words.join(' '), sections }
}

/** Returns a section of a file as a page of its own, without the sections that follow. */
export function sectionOf(text: string, heading: string): string {
  const [, after] = text.split(`\n## ${heading}\n`, 2)
  if (after === undefined) throw new Error(`no section ${heading}`)
  return `# ${heading}\n${after.split('\n## ', 1)[0]}`
}

/** Returns the text of a file for programs that read Markdown: links lead to pages. */
export function plainMarkdown({ file }: DocSource, text: string, targets: LinkTargets, origin: string): string {
  return text.replaceAll(/\]\(([^)\s]+)\)/g, (link, href: string) => {
    const url = urlOf(href, file, targets)
    return url?.startsWith('/') === true ? `](${origin}${url})` : link
  })
}

/** Builds anchors as GitHub does, so that links work in both places. */
function anchorOf(heading: string, used: Map<string, number>): string {
  const anchor = heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(/\s/g, '-')
  const count = used.get(anchor) ?? 0
  used.set(anchor, count + 1)
  return count === 0 ? anchor : `${anchor}-${count}`
}

/** Returns the URL of a link, or undefined for files that have no page. */
function urlOf(href: string, file: string, targets: LinkTargets): string | undefined {
  if (/^(https:\/\/|\/|#)/.test(href)) return href
  const [target = '', anchor] = href.split('#')
  const url = targets.get(posix.normalize(posix.join(posix.dirname(file), target)))
  return url === undefined || anchor === undefined ? url : `${url}#${anchor}`
}
