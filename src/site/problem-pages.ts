import { type ProblemDefinition, problemCatalogue } from '../platform/problem.ts'
import { escapeHtml, inlineCode } from './html.ts'
import type { PageContent } from './layout.ts'

export interface ProblemContent extends PageContent {
  /** URL path of the page. */
  path: string
}

const DEFAULT_HELP = 'The `detail` of the response states what is wrong with the request.'

/** Returns the page of one error code, or undefined if the code is unknown. */
export function problemPage(code: string): ProblemContent | undefined {
  const definitions = problemCatalogue().get(code)
  if (definitions === undefined) return undefined
  const main = `<nav aria-label="Problems"><a href="/problems">All problems</a></nav>
<div class="page-head"><h1><code>${escapeHtml(code)}</code></h1></div>${definitions.map(section).join('')}`
  return { path: `/problems/${code}`, title: definitions[0]?.title ?? code, main }
}

function section({ title, status, help = DEFAULT_HELP }: ProblemDefinition): string {
  return `<section class="section"><h2>${escapeHtml(title)}</h2><p class="section-help">Status ${status}. ${inlineCode(help)}</p></section>`
}

export function problemIndex(): ProblemContent {
  const rows = [...problemCatalogue()]
    .sort(([a], [b]) => a.localeCompare(b))
    .flatMap(([code, definitions]) => definitions.map((definition) => row(code, definition)))
  const main = `<div class="page-head"><h1>Problems</h1></div>
<p>The member <code>code</code> of a problem response identifies the problem. Each code has a page with what to do.</p>
<dl class="problems">${rows.join('')}</dl>`
  return { path: '/problems', title: 'Problems', main }
}

function row(code: string, { status, title }: ProblemDefinition): string {
  return `<dt><a href="/problems/${code}"><code>${code}</code></a> <span class="note">${status}</span></dt><dd>${escapeHtml(title)}</dd>`
}
