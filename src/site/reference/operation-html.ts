import { escapeHtml, inlineCode } from '../html.ts'
import { clientCall } from './client-call.ts'
import {
  type ApiDocument,
  type Content,
  type Endpoint,
  type Header,
  type Parameter,
  type Response,
  resolve,
} from './document.ts'
import { curlExample, exampleRequest, fetchExample, responseExample } from './request-examples.ts'
import { fieldHtml, schemaHtml } from './schema-fields.ts'

/** Renders the description of one operation. Its `operationId` is the anchor. */
export function operationHtml(document: ApiDocument, endpoint: Endpoint, origin: string): string {
  const { operationId: id, summary = id, description, method, path, deprecated } = endpoint
  return `<section aria-labelledby="${id}">
<h2 id="${id}">${escapeHtml(summary)}</h2>
<p class="path"><span class="method">${method}</span> <code>${escapeHtml(path)}</code></p>
${deprecated === true ? '<p><strong>Deprecated.</strong></p>' : ''}${description === undefined ? '' : `<p>${inlineCode(description)}</p>`}
<p class="rules">${guardHtml(endpoint)} <code>operationId</code>: <code>${id}</code>. <a href="/docs/sdk">TypeScript client</a>: <code>${escapeHtml(clientCall(document, endpoint))}</code></p>
${parametersHtml(document, endpoint)}${requestHtml(endpoint)}${responsesHtml(document, endpoint)}${examplesHtml(document, endpoint, origin)}
</section>`
}

function guardHtml(endpoint: Endpoint): string {
  const {
    security = [],
    'x-platen-permission': permission = [],
    'x-platen-alternative-permissions': or = [],
  } = endpoint
  if (security.length === 0) return 'Needs no credential.'
  const permissions = [permission].flat()
  const usesKey = security.some((one) => 'apiKey' in one)
  if (!usesKey) return 'Needs an access token of a session. API keys are not accepted.'
  const codes = [...permissions, ...or].map((permission) => `<code>${escapeHtml(permission)}</code>`)
  const names = codes.join(or.length > 0 ? ' or ' : ', ')
  return `Needs an access token, or an API key${names === '' ? '' : ` with ${names}`}.`
}

const PLACES: Readonly<Record<string, string>> = { path: 'path', query: 'query', header: 'header', cookie: 'cookie' }

function parametersHtml(document: ApiDocument, { parameters = [] }: Endpoint): string {
  if (parameters.length === 0) return ''
  const all = parameters.map((one) => resolve<Parameter>(document, one))
  const rows = all.map(({ name, schema = {}, description, required, in: place }) => {
    const mark = [PLACES[place] ?? place, ...(required === true ? ['required'] : [])].join(', ')
    return fieldHtml(name, schema, mark, description ?? schema.description)
  })
  return `<h3>Parameters</h3><dl class="fields">${rows.join('')}</dl>`
}

function requestHtml({ requestBody }: Endpoint): string {
  if (requestBody === undefined) return ''
  return `<h3>Request body</h3>${requestBody.required === true ? '' : '<p>May be left out.</p>'}${contentHtml(requestBody.content)}`
}

/** Describes each schema once, with all media types that have it. */
function contentHtml(content: Content): string {
  const types = Map.groupBy(Object.entries(content), ([, { schema = {} }]) => JSON.stringify(schema))
  return [...types.values()]
    .map((group) => {
      const names = group.map(([type]) => `<code>${escapeHtml(type)}</code>`).join(', ')
      return `<p>${names}</p>${schemaHtml(group[0]?.[1].schema ?? {})}`
    })
    .join('')
}

function responsesHtml(document: ApiDocument, { responses = {} }: Endpoint): string {
  const parts = Object.entries(responses).map(([status, response]) =>
    responseHtml(document, status, response as { $ref: string }),
  )
  return `<h3>Responses</h3>${parts.join('')}`
}

/** What @fastify/swagger writes for a response without a description. */
const NO_DESCRIPTION = 'Default Response'

function responseHtml(document: ApiDocument, status: string, given: Response | { $ref: string }): string {
  const isError = status === 'default' || Number(status) >= 400
  const { description = '', headers = {}, content } = resolve<Response>(document, given)
  const text = description === NO_DESCRIPTION ? '' : ` ${inlineCode(description)}`
  const title = status === 'default' ? 'Other statuses' : status
  // All errors have the same form, so it is described in one place.
  const body = isError
    ? '<p><a href="/docs/reference/schemas#Problem">Problem</a>, see <a href="/problems">all errors</a>.</p>'
    : content === undefined
      ? ''
      : contentHtml(content)
  return `<p><strong>${title}</strong>${text}</p>${headersHtml(document, headers)}${body}`
}

function headersHtml(document: ApiDocument, headers: NonNullable<Response['headers']>): string {
  const rows = Object.entries(headers).map(([name, given]) => {
    const { schema = {}, description } = resolve<Header>(document, given)
    return fieldHtml(name, schema, 'header', description ?? schema.description)
  })
  return rows.length === 0 ? '' : `<dl class="fields">${rows.join('')}</dl>`
}

function examplesHtml(document: ApiDocument, endpoint: Endpoint, origin: string): string {
  const request = exampleRequest(document, endpoint, origin)
  const block = (code: string) => `<pre tabindex="0"><code>${escapeHtml(code)}</code></pre>`
  const answer = responseExample(endpoint)
  const response = answer === undefined ? '' : `<details><summary>Response</summary>${block(answer)}</details>`
  return `<h3>Example</h3><p>curl</p>${block(curlExample(request))}<details><summary>TypeScript</summary>${block(fetchExample(request))}</details>${response}`
}
