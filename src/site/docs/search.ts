import { problemCatalogue } from '../../platform/problem.ts'
import type { DocPage } from '../doc-page.ts'
import { escapeHtml } from '../html.ts'

interface Entry {
  url: string
  title: string
  /** Title and text in lower case. */
  heading: string
  text: string
}

export type SearchIndex = readonly Entry[]

const MAX_QUERY_LENGTH = 100
const MAX_WORDS = 8
const MAX_RESULTS = 40

/** Points of an entry for a word in its title, and for a word in its text. */
const IN_TITLE = 10
const IN_TEXT = 1

/** Indexes the pages with their sections, and the pages of errors. */
export function createIndex(pages: readonly DocPage[]): SearchIndex {
  const documented = pages.flatMap(({ path, title, words, sections = [] }) => [
    entry(path, title, `${path} ${words}`),
    ...sections.map((section) => entry(`${path}#${section.anchor}`, section.title, section.words)),
  ])
  const errors = [...problemCatalogue()].map(([code, [definition]]) =>
    entry(`/problems/${code}`, code, `${definition?.title ?? ''} ${definition?.help ?? ''}`),
  )
  return [...documented, ...errors]
}

function entry(url: string, title: string, words: string): Entry {
  return { url, title, heading: title.toLowerCase(), text: words.toLowerCase() }
}

/** Finds the parts of the documentation that contain all words of a query, the best ones first. */
export function search(index: SearchIndex, query: string): Entry[] {
  const words = wordsOf(query)
  if (words.length === 0) return []
  return index
    .map((one) => ({ one, points: pointsOf(one, words) }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, MAX_RESULTS)
    .map(({ one }) => one)
}

/** The query is cut, so that its cost is bounded. */
function wordsOf(query: string): string[] {
  const words = query
    .slice(0, MAX_QUERY_LENGTH)
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  return [...new Set(words)].slice(0, MAX_WORDS)
}

function pointsOf({ heading, text }: Entry, words: readonly string[]): number {
  let sum = 0
  for (const word of words) {
    const points = (heading.includes(word) ? IN_TITLE : 0) + (text.includes(word) ? IN_TEXT : 0)
    if (points === 0) return 0
    sum += points
  }
  return sum
}

export function searchHtml(index: SearchIndex, query: string): string {
  const shown = query.slice(0, MAX_QUERY_LENGTH)
  const found = search(index, query)
  const items = found.map(({ url, title }) => `<li><a href="${escapeHtml(url)}">${escapeHtml(title)}</a></li>`)
  const result =
    found.length === 0
      ? '<p>Nothing found. Try fewer words, an operation id such as <code>createDesign</code>, or the <a href="/docs">contents</a>.</p>'
      : `<ul>${items.join('')}</ul>`
  return `<h1>Search</h1>
<form role="search" action="/docs/search"><label>Words <input type="search" name="q" maxlength="${MAX_QUERY_LENGTH}" value="${escapeHtml(shown)}"></label> <button>Search</button></form>
${shown.trim() === '' ? '' : `<p role="status">${found.length === MAX_RESULTS ? `The best ${MAX_RESULTS}` : found.length} ${found.length === 1 ? 'result' : 'results'} for “${escapeHtml(shown)}”.</p>${result}`}`
}
