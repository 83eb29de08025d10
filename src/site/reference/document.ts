/** The parts of an OpenAPI 3.1 document that the reference shows. Unknown members are ignored. */
export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  servers?: { url: string }[]
  tags?: { name: string; description?: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas?: Record<string, Schema>
    responses?: Record<string, Response>
    parameters?: Record<string, Parameter>
    headers?: Record<string, Header>
    securitySchemes?: Record<string, { description?: string }>
  }
}

export interface Operation {
  operationId: string
  summary?: string
  description?: string
  tags?: string[]
  deprecated?: boolean
  parameters?: (Parameter | Reference)[]
  requestBody?: { required?: boolean; content: Content }
  responses?: Record<string, Response | Reference>
  security?: Record<string, string[]>[]
  'x-platen-permission'?: string | string[]
  'x-platen-alternative-permissions'?: string[]
}

export interface Reference {
  $ref: string
}

export interface Parameter {
  name: string
  in: string
  required?: boolean
  description?: string
  schema?: Schema
  example?: unknown
}

export interface Header {
  description?: string
  schema?: Schema
  required?: boolean
}

export interface Response {
  description?: string
  headers?: Record<string, Header | Reference>
  content?: Content
}

export type Content = Record<string, MediaType>

export interface MediaType {
  schema?: Schema
  example?: unknown
  examples?: Record<string, { value?: unknown }>
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  title?: string
  description?: string
  format?: string
  pattern?: string
  enum?: unknown[]
  const?: unknown
  default?: unknown
  example?: unknown
  examples?: unknown[]
  required?: string[]
  properties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  exclusiveMaximum?: number
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minProperties?: number
  maxProperties?: number
}

export interface Endpoint extends Operation {
  method: string
  /** The path below the origin. */
  path: string
  /** The path as in the document. */
  documentPath: string
}

export function endpointsOf({ paths, servers }: ApiDocument): Endpoint[] {
  // The served document names the public URL, of which the pages need the path only.
  const base = new URL(servers?.[0]?.url ?? '', 'http://origin').pathname.replace(/\/$/, '')
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path: `${base}${path}`,
      documentPath: path,
    })),
  )
}

/** Groups the operations by their first tag, in the order of the document. */
export function byTag(endpoints: readonly Endpoint[]): Map<string, Endpoint[]> {
  return Map.groupBy(endpoints, ({ tags }) => tags?.[0] ?? 'Other')
}

export const slugOf = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')

/** Follows a reference within the document, such as `#/components/schemas/Design`. */
export function resolve<T extends object>(document: ApiDocument, value: T | Reference): T {
  if (!('$ref' in value) || typeof value.$ref !== 'string') return value as T
  const target = value.$ref
    .slice(2)
    .split('/')
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document)
  if (target === undefined) throw new Error(`the OpenAPI document has no ${value.$ref}`)
  return target as T
}
