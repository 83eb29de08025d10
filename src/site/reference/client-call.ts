import { clientMethodName } from './client-method-name.ts'
import { type ApiDocument, type Endpoint, type Parameter, resolve } from './document.ts'

/** Returns how `@platen/client` calls an operation, such as `platen.designs.change(designId, body)`. */
export function clientCall(document: ApiDocument, endpoint: Endpoint): string {
  const { resource, name } = clientMethodName(endpoint.documentPath, endpoint.operationId)
  const pathParameters = [...endpoint.documentPath.matchAll(/\{(\w+)\}/g)].map(([, parameter = '']) => parameter)
  return `platen.${resource}.${name}(${[...pathParameters, ...inputOf(document, endpoint)].join(', ')})`
}

function inputOf(document: ApiDocument, { parameters = [], requestBody }: Endpoint): string[] {
  const all = parameters.map((one) => resolve<Parameter>(document, one))
  const types = Object.entries(requestBody?.content ?? {})
  // The parameters of an upload are options.
  if (types.some(([type]) => !type.endsWith('json'))) return ['file']
  // The client chooses where the session is kept by its options.
  if (all.some((one) => one.in === 'query' && one.name !== 'session')) return ['query']
  const hasBody = types.some(([, { schema }]) => schema?.$ref?.endsWith('/EmptyRequest') !== true)
  return hasBody ? ['body'] : []
}
