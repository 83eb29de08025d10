import { clientMethodName } from '../../../src/site/reference/client-method-name.ts'
import type { JsonSchema } from './schema-types.ts'

interface Media {
  schema?: JsonSchema
}

interface Parameter {
  $ref?: string
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: JsonSchema
}

export interface DocumentOperation {
  operationId: string
  summary?: string
  description?: string
  deprecated?: boolean
  tags?: string[]
  security?: unknown[]
  parameters?: Parameter[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  responses: Record<string, { content?: Record<string, Media> }>
}

export interface ContractDocument {
  paths: Record<string, Record<string, DocumentOperation>>
  components: { schemas: Record<string, JsonSchema> }
}

/** One method of the client. */
export interface ClientMethod {
  resource: string
  name: string
  operation: DocumentOperation
  httpMethod: string
  path: string
  pathParameters: string[]
  query: Parameter[]
  headers: string[]
  hasPages: boolean
}

/** What a header is called in the options of a method. */
export const HEADER_OPTIONS: Readonly<Record<string, string>> = {
  'Idempotency-Key': 'idempotencyKey',
  'If-Match': 'ifMatch',
  'If-None-Match': 'ifNoneMatch',
  Prefer: 'prefer',
  Accept: 'accept',
  'Platen-Customer': 'customer',
}

/** Returns the methods of the client: `POST /designs/{designId}/finalize` becomes `designs.finalize`. */
export function clientMethods(document: ContractDocument): ClientMethod[] {
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([httpMethod, operation]) => methodOf(document, path, httpMethod, operation)),
  )
  const names = new Set<string>()
  for (const { resource, name, operation } of methods) {
    if (names.has(`${resource}.${name}`)) throw new Error(`${resource}.${name} exists twice: ${operation.operationId}`)
    names.add(`${resource}.${name}`)
  }
  return methods
}

function methodOf(
  document: ContractDocument,
  path: string,
  httpMethod: string,
  operation: DocumentOperation,
): ClientMethod {
  const parameters = operation.parameters ?? []
  const named = parameters.filter(({ $ref }) => $ref === undefined)
  const query = named.filter((parameter) => parameter.in === 'query' && parameter.name !== 'session')
  return {
    ...clientMethodName(path, operation.operationId),
    operation,
    httpMethod: httpMethod.toUpperCase(),
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name),
    query,
    headers: parameters.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref.split('/').at(-1) ?? ''])),
    hasPages: returnsPages(document, operation),
  }
}

function returnsPages({ components }: ContractDocument, operation: DocumentOperation): boolean {
  const schema = operation.responses['200']?.content?.['application/json']?.schema
  const list = components.schemas[schema?.$ref?.split('/').at(-1) ?? '']
  return list?.properties?.['nextCursor'] !== undefined
}
