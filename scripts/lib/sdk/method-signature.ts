import { type ClientMethod, type DocumentOperation, HEADER_OPTIONS } from './client-operations.ts'
import { commentOf, type JsonSchema, typeOf } from './schema-types.ts'

/** What a method takes besides the parameters of the path. */
type Input = { kind: 'query' | 'body' | 'file'; type: string; isRequired: boolean } | undefined

/** What a method returns. */
type Result = { kind: 'json' | 'text' | 'binary' | 'redirect' | 'events' | 'nothing'; type: string }

/** Returns a method of an interface, with its documentation. */
export function signatureOf(method: ClientMethod): string {
  const { name, operation } = method
  const { summary = '', description = '', deprecated } = operation
  const text = description === '' ? `${summary}.` : `${summary}.\n\n${description}`
  const comment = commentOf({ description: text, ...(deprecated === true ? { deprecated } : {}) })
  const result = resultOf(operation)
  if (result.kind === 'events') return `${comment}${name}: StreamEvents\n`
  if (result.kind === 'redirect') return `${comment}${name}(query?: ${queryName(method)}): string\n`
  const before = [...pathArguments(method), ...inputArgument(method)]
  const options = optionsOf(method)
  const plain = `${name}(${[...before, `options?: ${options}`].join(', ')}): ${returnType(method, result)}\n`
  if (!method.headers.includes('If-None-Match') || result.kind !== 'json') return `${comment}${plain}`
  const conditional = [...before, `options: ${options} & { ifNoneMatch: string }`].join(', ')
  return `${comment}${name}(${conditional}): ${returnType(method, { ...result, type: `${result.type} | undefined` })}\n${comment}${plain}`
}

/** The name of the type of the query of a method. */
export const queryName = ({ operation: { operationId } }: ClientMethod): string =>
  `${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}Query`

/** Returns the declaration of the query of a method, or nothing if it takes none. */
export function queryDeclaration(method: ClientMethod): string {
  if (method.query.length === 0) return ''
  const members = method.query.map(({ name, required, description, schema = {} }) => {
    const comment = commentOf(description === undefined ? {} : { description })
    return `${comment}${name}${required === true ? '' : '?'}: ${typeOf(schema)}${required === true ? '' : ' | undefined'}\n`
  })
  return `/** Parameters of \`${method.resource}.${method.name}\`. */\nexport interface ${queryName(method)} {\n${members.join('')}}\n`
}

export function resultOf({ responses }: DocumentOperation): Result {
  const contents = Object.entries(responses).filter(([status]) => status.startsWith('2'))
  if (contents.length === 0) return { kind: 'redirect', type: 'string' }
  const media = contents.flatMap(([, { content = {} }]) => Object.entries(content))
  const [first] = media
  if (first === undefined) return { kind: 'nothing', type: 'void' }
  if (first[0] === 'text/event-stream') return { kind: 'events', type: '' }
  if (first[0] === 'application/jose') return { kind: 'text', type: 'string' }
  if (!first[0].endsWith('json')) return { kind: 'binary', type: 'Response' }
  return { kind: 'json', type: [...new Set(media.map(([, { schema = {} }]) => typeOf(schema)))].join(' | ') }
}

export function inputOf(method: ClientMethod): Input {
  const { requestBody } = method.operation
  const body = requestBody === undefined ? undefined : bodyOf(requestBody)
  // The parameters of an upload are options.
  if (method.query.length === 0 || body?.kind === 'file') return body
  if (body !== undefined) throw new Error(`${method.operation.operationId} has both a query and a body`)
  return { kind: 'query', type: queryName(method), isRequired: method.query.some(({ required }) => required === true) }
}

function bodyOf({ required = false, content }: NonNullable<DocumentOperation['requestBody']>): Input {
  const json = Object.entries(content).filter(([type]) => type.endsWith('json'))
  const types = json.map(([, { schema = {} }]) => typeOf(schema))
  // An operation without input accepts `{}`, because some clients cannot send a POST without a body.
  if (types.length === 1 && types[0] === 'EmptyRequest') return undefined
  const isFile = Object.keys(content).some((type) => !type.endsWith('json'))
  const all = isFile ? ['FileBody', ...types] : types
  return { kind: isFile ? 'file' : 'body', type: all.join(' | '), isRequired: required }
}

function pathArguments({ pathParameters, operation }: ClientMethod): string[] {
  return pathParameters.map((name) => {
    const schema: JsonSchema = operation.parameters?.find((one) => one.name === name)?.schema ?? {}
    return `${name}: ${typeOf(schema)}`
  })
}

function inputArgument(method: ClientMethod): string[] {
  const input = inputOf(method)
  if (input === undefined) return []
  return [`${input.kind}${input.isRequired ? '' : '?'}: ${input.type}${input.isRequired ? '' : ' | undefined'}`]
}

function optionsOf(method: ClientMethod): string {
  const names = method.headers.map((header) => {
    const option = HEADER_OPTIONS[header]
    if (option === undefined) throw new Error(`the client has no option for the header ${header}`)
    return `'${option}'`
  })
  const options = names.length === 0 ? 'RequestOptions' : `CallOptions<${names.join(' | ')}>`
  if (inputOf(method)?.kind !== 'file') return options
  const query = method.query.length === 0 ? '' : ` & { query?: ${queryName(method)} }`
  return `${options} & UploadOptions${query}`
}

function returnType({ hasPages }: ClientMethod, { kind, type }: Result): string {
  if (kind === 'binary') return 'Promise<Response>'
  return hasPages ? `PagedCall<${type}>` : `ApiCall<${type}>`
}
