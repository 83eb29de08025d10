import type { DocPage } from '../doc-page.ts'
import { escapeHtml, inlineCode } from '../html.ts'
import { clientCall } from './client-call.ts'
import { type ApiDocument, byTag, type Endpoint, endpointsOf, type Schema, slugOf } from './document.ts'
import { operationHtml } from './operation-html.ts'
import { innerHtml, schemaHtml } from './schema-fields.ts'

/** Returns the pages of the API reference: the overview, one page for each tag, and the named schemas. */
export function* referencePages(document: ApiDocument, origin: string): Generator<DocPage> {
  const groups = byTag(endpointsOf(document))
  yield overview(document, groups)
  for (const [tag, endpoints] of groups) yield tagPage(document, tag, endpoints, origin)
  yield schemaPage(document)
}

const pathOf = (tag: string): string => `/docs/reference/${slugOf(tag)}`

function overview({ info, tags }: ApiDocument, groups: Map<string, Endpoint[]>): DocPage {
  const sections = [...groups].map(([tag, endpoints]) => {
    const description = tags?.find(({ name }) => name === tag)?.description
    const text = description === undefined ? '' : `<p>${inlineCode(description)}</p>`
    return `<h2 id="${slugOf(tag)}"><a href="${pathOf(tag)}">${escapeHtml(tag)}</a></h2>${text}${operationList(tag, endpoints)}`
  })
  const main = `<h1>API reference</h1><p>${inlineCode(info.description ?? '')}</p>
<p>The same reference for programs: <a href="/v1/openapi.json">OpenAPI 3.1 document</a>. <a href="/docs/api-design">API
conventions</a> has the rules that all operations share. <a href="/docs/reference/schemas">Schemas</a> describes the
records.</p>${sections.join('')}`
  return {
    path: '/docs/reference',
    title: 'API reference',
    group: 'API reference',
    main,
    words: groups.keys().toArray().join(' '),
  }
}

function operationList(tag: string, endpoints: readonly Endpoint[]): string {
  const items = endpoints.map(
    ({ operationId, summary = operationId, method, path }) =>
      `<dt><a href="${pathOf(tag)}#${operationId}">${escapeHtml(summary)}</a></dt><dd><code>${method} ${escapeHtml(path)}</code></dd>`,
  )
  return `<dl class="fields">${items.join('')}</dl>`
}

function tagPage(document: ApiDocument, tag: string, endpoints: readonly Endpoint[], origin: string): DocPage {
  const operations = endpoints.map((endpoint) => operationHtml(document, endpoint, origin))
  const main = `<h1>${escapeHtml(tag)}</h1>${operationList(tag, endpoints)}${operations.join('')}`
  const sections = endpoints.map((endpoint) => {
    const { operationId, summary = operationId, description = '', method, path } = endpoint
    const words = `${operationId} ${clientCall(document, endpoint)} ${method} ${path} ${description}`
    return { anchor: operationId, title: summary, words }
  })
  return { path: pathOf(tag), title: tag, group: 'API reference', main, words: tag, sections }
}

function schemaPage({ components }: ApiDocument): DocPage {
  const problem = components.responses?.['Problem']?.content?.['application/problem+json']?.schema
  const schemas: Record<string, Schema> = {
    ...(problem === undefined ? {} : { Problem: problem }),
    ...components.schemas,
  }
  const names = Object.keys(schemas).sort()
  const parts = names.map((name) => {
    const schema = schemas[name] ?? {}
    const body =
      innerHtml(schema) === ''
        ? schemaHtml(schema)
        : `<p>${inlineCode(schema.description ?? '')}</p>${innerHtml(schema)}`
    return `<section aria-labelledby="${name}"><h2 id="${name}">${escapeHtml(name)}</h2>${body}</section>`
  })
  const sections = names.map((name) => ({ anchor: name, title: `${name} (schema)`, words: '' }))
  const main = `<h1>Schemas</h1><p>The records that operations take and return.</p>${parts.join('')}`
  return { path: '/docs/reference/schemas', title: 'Schemas', group: 'API reference', main, words: 'schemas', sections }
}
