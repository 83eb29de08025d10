import { type ProblemDefinition, problemCatalogue } from '../platform/problem.ts'
import { escapeHtml, inlineCode } from './html.ts'
import type { PageContent } from './layout.ts'

const DEFAULT_HELP = 'The `detail` of the response states what is wrong with the request.'

/** Returns the page of one error code, or undefined if the code is unknown. */
export function problemPage(code: string): PageContent | undefined {
  const definitions = problemCatalogue().get(code)
  if (definitions === undefined) return undefined
  const main = `<h1><code>${escapeHtml(code)}</code></h1>${definitions.map(section).join('')}<p><a href="/problems">All problems</a></p>`
  return { title: definitions[0]?.title ?? code, main }
}

function section({ title, status, help = DEFAULT_HELP }: ProblemDefinition): string {
  return `<h2>${escapeHtml(title)}</h2><p>Status ${status}. ${inlineCode(help)}</p>`
}

export function problemIndex(): PageContent {
  const rows = [...problemCatalogue()]
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([code, definitions]) => definitions.map((definition) => row(code, definition)))
  const main = `<h1>Problems</h1>
<p>The member <code>code</code> of a problem response identifies the problem. Each code has a page with what to do.</p>
<dl class="fields">${rows.join('')}</dl>`
  return { title: 'Problems', main }
}

function row(code: string, { status, title }: ProblemDefinition): string {
  return `<dt><a href="/problems/${code}"><code>${code}</code></a> <span class="type">${status}</span></dt><dd>${escapeHtml(title)}</dd>`
}
