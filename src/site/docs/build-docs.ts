import { setImmediate as nextTurn } from 'node:timers/promises'
import type { DocPage } from '../doc-page.ts'
import { escapeHtml } from '../html.ts'
import type { SiteSettings } from '../layout.ts'
import { htmlPage, type StoredPage, storedPage } from '../pages.ts'
import type { ApiDocument } from '../reference/document.ts'
import { referencePages } from '../reference/reference-pages.ts'
import { eventsPage } from './events-page.ts'
import { plainMarkdown, renderMarkdown, sectionOf } from './markdown.ts'
import { createIndex, type SearchIndex } from './search.ts'
import { EXAMPLES, examplePath, LINK_TARGETS, readSource, SOURCES } from './sources.ts'
import { type Machines, statesPage } from './states-page.ts'

export interface DocsDeps {
  settings: SiteSettings
  machines: Machines
  /** The OpenAPI document of the running service. */
  readApi(): ApiDocument
}

export interface Docs {
  pages: ReadonlyMap<string, StoredPage>
  index: SearchIndex
  /** The navigation for pages that are rendered on request. */
  contents: string
}

/** The URL that the guides use. Pages show the URL of the running service instead. */
const GUIDE_ORIGIN = 'http://127.0.0.1:8080'

/** Renders the whole documentation. It lets other work run after each page. */
export async function buildDocs({ settings, machines, readApi }: DocsDeps): Promise<Docs> {
  const api = readApi()
  const pages: DocPage[] = []
  const stored = new Map<string, StoredPage>()
  for (const source of SOURCES) {
    const file = await readSource(source.file)
    // A section of a file has no samples.
    const text =
      source.section === undefined ? file.replaceAll(GUIDE_ORIGIN, settings.origin) : sectionOf(file, source.section)
    pages.push(renderMarkdown(source, text, LINK_TARGETS))
    const plain = plainMarkdown(source, text, LINK_TARGETS, settings.origin)
    stored.set(markdownPath(source.path), storedPage('text/markdown; charset=utf-8', plain))
    await nextTurn()
  }
  pages.push(eventsPage(api), statesPage(machines))
  for (const page of referencePages(api, settings.origin)) {
    pages.push(page)
    await nextTurn()
  }
  pages.unshift(startPage(pages))
  for (const { path, title, main } of pages) {
    stored.set(path, htmlPage({ title, main, contents: contentsHtml(pages, path) }, settings))
    await nextTurn()
  }
  for (const name of EXAMPLES) {
    const text = await readSource(`docs/examples/${name}.json`)
    stored.set(examplePath(name), storedPage('application/json; charset=utf-8', text))
  }
  stored.set('/llms.txt', storedPage('text/plain; charset=utf-8', llmsText(pages, settings)))
  return { pages: stored, index: createIndex(pages), contents: contentsHtml(pages) }
}

/** The start page is not part of the groups, because the navigation of the site links to it. */
const START = 'Start'

const groupsOf = (pages: readonly DocPage[]): [string, DocPage[]][] =>
  [...Map.groupBy(pages, ({ group }) => group)].filter(([group]) => group !== START)

function contentsHtml(pages: readonly DocPage[], current?: string): string {
  const link = ({ path, title }: DocPage) =>
    `<li><a href="${path}"${path === current ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`
  return groupsOf(pages)
    .map(([group, list]) => `<h2>${group}</h2><ul>${list.map(link).join('')}</ul>`)
    .join('')
}

function startPage(pages: readonly DocPage[]): DocPage {
  const sections = groupsOf(pages).map(([group, list]) => {
    const items = list.map(({ path, title }) => `<li><a href="${path}">${escapeHtml(title)}</a></li>`)
    return `<h2>${group}</h2><ul class="cards">${items.join('')}</ul>`
  })
  const main = `<h1>Documentation</h1><p class="lead">Begin with <a href="/docs/guides/first-design">your first design</a>. Every error
has <a href="/problems">a page with what to do</a>.</p>${sections.join('')}`
  return { path: '/docs', title: 'Documentation', group: START, main, words: 'documentation contents start' }
}

const markdownPath = (path: string): string => `${path}.md`

/** Lists the pages in the form of https://llmstxt.org, as Markdown where there is such a version. */
function llmsText(pages: readonly DocPage[], { origin, shopName }: SiteSettings): string {
  const groups = groupsOf(pages).map(([group, list]) => {
    const items = list.map(({ path, title }) => {
      const hasMarkdown = SOURCES.some((source) => source.path === path)
      return `- [${title}](${origin}${hasMarkdown ? markdownPath(path) : path})`
    })
    return `## ${group}\n\n${items.join('\n')}\n`
  })
  return `# ${shopName}

> The HTTP API of Platen: sign in, design made-to-order products, finalize designs, order them, and follow the orders.

- [OpenAPI 3.1 document](${origin}/v1/openapi.json)
- [Errors](${origin}/problems)

${groups.join('\n')}`
}
