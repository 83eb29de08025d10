import { type ApiDocument, type Endpoint, type Parameter, resolve } from './document.ts'
import { exampleOf } from './example-value.ts'

interface ExampleRequest {
  method: string
  url: string
  needsToken: boolean
  headers: [name: string, value: string][]
  body?: { mediaType: string; json?: unknown }
}

/** Builds a request of an operation: its path, its required parameters and a body with the required members. */
export function exampleRequest(document: ApiDocument, endpoint: Endpoint, origin: string): ExampleRequest {
  const parameters = (endpoint.parameters ?? []).map((one) => resolve<Parameter>(document, one))
  const exampleFor = ({ name, schema = {}, example }: Parameter) => String(example ?? exampleOf(document, schema, name))
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    const found = parameters.find((one) => one.in === 'path' && one.name === name)
    return found === undefined ? whole : encodeURIComponent(exampleFor(found))
  })
  const query = new URLSearchParams(
    parameters.filter((one) => one.in === 'query' && one.required === true).map((one) => [one.name, exampleFor(one)]),
  )
  const body = bodyOf(document, endpoint)
  const headers = parameters.filter((one) => one.in === 'header' && one.required === true)
  return {
    method: endpoint.method,
    url: `${origin}${path}${query.size === 0 ? '' : `?${query}`}`,
    needsToken: (endpoint.security ?? []).length > 0,
    headers: headers.map((one) => [one.name, exampleFor(one)]),
    ...(body === undefined ? {} : { body }),
  }
}

function bodyOf(document: ApiDocument, { requestBody }: Endpoint): ExampleRequest['body'] {
  if (requestBody === undefined) return undefined
  const types = Object.keys(requestBody.content)
  // Uploads take JSON with a URL, too, but a client usually has the file.
  const mediaType = types.find((type) => type === 'multipart/form-data') ?? types[0] ?? 'application/json'
  if (!mediaType.endsWith('json')) return { mediaType }
  const { schema = {}, example, examples = {} } = requestBody.content[mediaType] ?? {}
  const given = example ?? Object.values(examples)[0]?.value
  return { mediaType, json: given ?? exampleOf(document, schema) }
}

/** Returns the recorded response of an operation as text. Responses without a body, and files, have none. */
export function responseExample({ responses = {} }: Endpoint): string | undefined {
  const media = Object.values(responses).flatMap((one) => ('content' in one ? Object.values(one.content ?? {}) : []))
  const { example } = media.find((one) => one.example !== undefined) ?? {}
  if (example === undefined) return undefined
  return typeof example === 'string' ? example : JSON.stringify(example, null, 2)
}

export function curlExample({ method, url, needsToken, headers, body }: ExampleRequest): string {
  const lines = [
    `curl ${method === 'GET' ? '' : `-X ${method} `}${shellQuoted(url)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...headers.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...curlBody(body),
  ]
  return lines.join(' \\\n  ')
}

function curlBody(body: ExampleRequest['body']): string[] {
  if (body === undefined) return []
  if (body.mediaType === 'multipart/form-data') return ['-F file=@file.bin']
  if (body.json === undefined) return [`-H 'Content-Type: ${body.mediaType}'`, '--data-binary @file.bin']
  const type = body.mediaType === 'application/json' ? [] : [`-H 'Content-Type: ${body.mediaType}'`]
  return [...type, `--json ${shellQuoted(JSON.stringify(body.json, null, 2))}`]
}

const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

export function fetchExample({ method, url, needsToken, headers: required, body }: ExampleRequest): string {
  const headers = [
    ...(needsToken ? ["    authorization: 'Bearer ' + token,"] : []),
    ...required.map(([name, value]) => `    ${JSON.stringify(name)}: ${JSON.stringify(value)},`),
    ...(body !== undefined && body.mediaType !== 'multipart/form-data'
      ? [`    'content-type': '${body.mediaType}',`]
      : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`  method: '${method}',`]),
    ...(headers.length === 0 ? [] : ['  headers: {', ...headers, '  },']),
    ...fetchBody(body),
  ]
  const rest = options.length === 0 ? '' : `, {\n${options.join('\n')}\n}`
  const isForm = body?.mediaType === 'multipart/form-data'
  const form = isForm ? "const form = new FormData()\nform.append('file', new Blob([bytes]))\n" : ''
  return `${form}const response = await fetch(${JSON.stringify(url)}${rest})
if (!response.ok) throw new Error((await response.json()).detail)`
}

function fetchBody(body: ExampleRequest['body']): string[] {
  if (body === undefined) return []
  if (body.mediaType === 'multipart/form-data') return ['  body: form,']
  if (body.json === undefined) return ['  body: bytes,']
  return [`  body: JSON.stringify(${JSON.stringify(body.json, null, 2).replaceAll('\n', '\n  ')}),`]
}
