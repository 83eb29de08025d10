import { join } from 'node:path'

/**
 * The OpenAPI document of the last release. Before the first release, it is a document on which clients may already
 * rely.
 */
export const RELEASED_DOCUMENT = join(import.meta.dirname, '../../../docs/openapi/released.json')

export interface ApiDocument {
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, ApiResponse> }
}

interface Operation {
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: { required?: boolean; content?: Record<string, { schema?: Schema }> }
  responses?: Record<string, ApiResponse>
}

interface ApiResponse {
  $ref?: string
  content?: Record<string, { schema?: Schema }>
}

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  anyOf?: Schema[]
  oneOf?: Schema[]
  allOf?: Schema[]
  /** The parameter of new requests that leaves this member out. Earlier clients do not send it. */
  'x-left-out-by'?: string
}

/**
 * A schema as flat lists: the types and the values that are allowed at each path, and the paths of required members.
 */
interface Shape {
  types: Map<string, Set<string>>
  values: Map<string, Set<string>>
  required: Set<string>
}

/**
 * Returns every change that breaks a client of the earlier document: a value that the client may send is rejected, a
 * new member is required, or a member that the client reads is removed. Additions break no client.
 */
export function findBreakingChanges(before: ApiDocument, after: ApiDocument): string[] {
  const found: string[] = []
  for (const [path, operations] of Object.entries(before.paths ?? {})) {
    for (const [method, old] of Object.entries(operations)) {
      const name = `${method.toUpperCase()} ${path}`
      const now = after.paths?.[path]?.[method]
      if (now === undefined) found.push(`${name}: removed`)
      else found.push(...compareOperations(old, now, before, after).map((change) => `${name}: ${change}`))
    }
  }
  return found
}

function compareOperations(old: Operation, now: Operation, before: ApiDocument, after: ApiDocument): string[] {
  const found: string[] = []
  for (const parameter of old.parameters ?? []) {
    const kept = now.parameters?.find((one) => one.name === parameter.name && one.in === parameter.in)
    if (kept === undefined) found.push(`parameter ${parameter.name} removed`)
    else found.push(...requestChanges(shapeOf(parameter.schema, before), shapeOf(kept.schema, after), parameter.name))
  }
  for (const parameter of now.parameters ?? []) {
    const earlier = old.parameters?.find((one) => one.name === parameter.name && one.in === parameter.in)
    if (parameter.required === true && earlier?.required !== true)
      found.push(`parameter ${parameter.name} now required`)
  }
  if (now.requestBody?.required === true && old.requestBody?.required !== true) found.push('a body is now required')
  for (const [type, { schema }] of Object.entries(old.requestBody?.content ?? {})) {
    const kept = now.requestBody?.content?.[type]
    if (kept === undefined) found.push(`${type} no longer accepted`)
    else {
      const was = shapeOf(schema, before)
      // A body of null means a missing body, which is documented as an optional body.
      if (now.requestBody?.required !== true) was.types.get('')?.delete('null')
      found.push(...requestChanges(was, shapeOf(kept.schema, after), 'request'))
    }
  }
  for (const [status, response] of Object.entries(old.responses ?? {})) {
    if (/^[45]/.test(status)) continue
    const kept = now.responses?.[status]
    if (kept === undefined) found.push(`response ${status} removed`)
    else found.push(...answerChanges(response, kept, before, after).map((change) => `response ${status}: ${change}`))
  }
  return found
}

function requestChanges(old: Shape, now: Shape, what: string): string[] {
  const found: string[] = []
  for (const [place, types] of old.types) {
    const left = now.types.get(place)
    if (left === undefined) found.push(`${what}${place} no longer accepted`)
    else for (const type of types) if (!left.has(type)) found.push(`${what}${place} no longer a ${type}`)
  }
  for (const [place, values] of old.values) {
    const left = now.values.get(place)
    for (const value of left === undefined ? [] : values)
      if (!left?.has(value)) found.push(`${what}${place} no longer ${value}`)
  }
  for (const [place] of now.values)
    if (!old.values.has(place) && old.types.has(place)) found.push(`${what}${place} now one of a few values`)
  for (const place of now.required) {
    const parent = place.slice(0, place.lastIndexOf('/'))
    if (!old.required.has(place) && old.types.has(parent)) found.push(`${what}${place} now required`)
  }
  return found
}

function answerChanges(old: ApiResponse, now: ApiResponse, before: ApiDocument, after: ApiDocument): string[] {
  const found: string[] = []
  const contentNow = resolveResponse(now, after).content ?? {}
  for (const [type, { schema }] of Object.entries(resolveResponse(old, before).content ?? {})) {
    if (contentNow[type] === undefined) {
      found.push(`no longer ${type}`)
      continue
    }
    const [was, is] = [shapeOf(schema, before), shapeOf(contentNow[type].schema, after)]
    for (const [place, types] of was.types) {
      const left = is.types.get(place)
      if (left === undefined) found.push(`${place} removed`)
      else if (types.size > 0 && ![...types].some((one) => left.has(one)))
        found.push(`${place} no longer ${[...types].join(' or ')}`)
    }
    for (const place of was.required) {
      if (is.types.has(place) && !is.required.has(place)) found.push(`${place} may now be missing`)
    }
  }
  return found
}

function resolveResponse(response: ApiResponse, { components }: ApiDocument): ApiResponse {
  return response.$ref === undefined ? response : (components?.responses?.[lastPart(response.$ref)] ?? {})
}

function lastPart(reference: string): string {
  return reference.slice(reference.lastIndexOf('/') + 1)
}

function shapeOf(schema: Schema | undefined, document: ApiDocument): Shape {
  const shape: Shape = { types: new Map(), values: new Map(), required: new Set() }
  collect(schema ?? {}, '', true, shape, document, [])
  return shape
}

/**
 * Adds a schema to a shape.
 *
 * @param always whether the schema applies in every case; false for one of several alternatives, whose required members
 * are not always required
 */
function collect(
  given: Schema,
  place: string,
  always: boolean,
  shape: Shape,
  document: ApiDocument,
  entered: readonly string[],
): void {
  if (given.$ref !== undefined && entered.includes(given.$ref)) return
  const inside = given.$ref === undefined ? entered : [...entered, given.$ref]
  const schema = given.$ref === undefined ? given : (document.components?.schemas?.[lastPart(given.$ref)] ?? {})
  const alternatives = schema.anyOf ?? schema.oneOf ?? []
  const types = schema.type === undefined ? [] : [schema.type].flat()
  shape.types.set(place, new Set([...(shape.types.get(place) ?? []), ...types]))
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  if (values !== undefined) {
    shape.values.set(
      place,
      new Set([...(shape.values.get(place) ?? []), ...values.map((value) => JSON.stringify(value))]),
    )
  }
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    const at = `${place}/${name}`
    const isPresent = schema.required?.includes(name) === true || member['x-left-out-by'] !== undefined
    const isRequired = always && isPresent
    if (isRequired) shape.required.add(at)
    collect(member, at, isRequired, shape, document, inside)
  }
  if (schema.items !== undefined) collect(schema.items, `${place}/*`, true, shape, document, inside)
  for (const part of schema.allOf ?? []) collect(part, place, always, shape, document, inside)
  collectAlternatives(alternatives, { place, always, shape, document, inside })
}

interface Collected {
  place: string
  always: boolean
  shape: Shape
  document: ApiDocument
  inside: readonly string[]
}

/** Adds alternatives to a shape. A member is required if every alternative requires it. */
function collectAlternatives(alternatives: readonly Schema[], { place, always, shape, document, inside }: Collected) {
  const requiredByEach = alternatives.map((part) => {
    const own: Shape = { ...shape, required: new Set() }
    collect(part, place, always, own, document, inside)
    return own.required
  })
  const [first = new Set<string>(), ...others] = requiredByEach
  for (const member of first) if (others.every((required) => required.has(member))) shape.required.add(member)
}
