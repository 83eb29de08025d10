import { isObject, type Json, mapObjects } from './json.ts'

/** The keyword of a schema that the document replaces with another one, which describes the accepted values better. */
export const DOCUMENTED_AS = 'x-documented-as'

/** Types whose union with null is one schema with two types. Larger schemas stay alternatives, so that they get names. */
const PLAIN_TYPES = new Set(['string', 'number', 'integer', 'boolean'])

/**
 * Rewrites unions so that generators of clients understand them: a union of values becomes an `enum`, a plain type or
 * null a list of types, and alternatives that exclude each other `oneOf`, with a `discriminator` if they have a member
 * that tells them apart. Every value that a schema allows stays allowed.
 */
export function clarifyUnions<Value>(value: Value): Value {
  return mapObjects(value, clarify) as Value
}

function clarify(schema: Json): Json {
  if (isObject(schema[DOCUMENTED_AS])) return schema[DOCUMENTED_AS]
  const { anyOf, ...rest } = schema
  if (Array.isArray(anyOf) && anyOf.length > 0 && anyOf.every(isObject)) return clarifyAlternatives(anyOf, rest)
  if (Array.isArray(schema['oneOf'])) return withDiscriminator(schema, schema['oneOf'].filter(isObject))
  return schema
}

function clarifyAlternatives(alternatives: readonly Json[], rest: Json): Json {
  const [first = {}, second] = alternatives
  // A titled schema becomes a reference, beside which many generators ignore other keywords.
  if (second === undefined) return first['title'] === undefined ? { ...first, ...rest } : { allOf: [first], ...rest }
  if (alternatives.every(isValue)) return { type: 'string', enum: alternatives.flatMap(valuesOf), ...rest }
  const nullable = alternatives.length === 2 && second['type'] === 'null' ? orNull(first) : undefined
  if (nullable !== undefined) return { ...nullable, ...rest }
  if (!areExclusive(alternatives)) return { anyOf: alternatives, ...rest }
  return withDiscriminator({ oneOf: alternatives, ...rest }, alternatives)
}

function isValue(schema: Json): boolean {
  return schema['type'] === 'string' && Array.isArray(schema['enum']) && schema['title'] === undefined
}

function valuesOf(schema: unknown): unknown[] {
  if (!isObject(schema)) return []
  if (Array.isArray(schema['enum'])) return schema['enum']
  return schema['const'] === undefined ? [] : [schema['const']]
}

/** Adds null to a plain type. Returns undefined for other schemas. */
function orNull(schema: Json): Json | undefined {
  const { type, title } = schema
  if (typeof type !== 'string' || !PLAIN_TYPES.has(type) || title !== undefined) return undefined
  const values = schema['enum']
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) ? { enum: [...values, null] } : {}) }
}

/** Whether no value can match two of the schemas. */
function areExclusive(schemas: readonly Json[]): boolean {
  return schemas.every((one, index) => schemas.slice(index + 1).every((other) => exclude(one, other)))
}

function exclude(one: Json, other: Json): boolean {
  const [type, otherType] = [one['type'], other['type']]
  if (typeof type !== 'string' || typeof otherType !== 'string') return false
  if (haveOtherValues(one, other)) return true
  if (type !== otherType) return ![type, otherType].every((name) => name === 'number' || name === 'integer')
  if (type !== 'object') return false
  return requiresUnknown(one, other) || requiresUnknown(other, one) || tellingMember([one, other]) !== undefined
}

function haveOtherValues(one: Json, other: Json): boolean {
  const [values, others] = [valuesOf(one), valuesOf(other)]
  return values.length > 0 && others.length > 0 && !values.some((value) => others.includes(value))
}

/** Whether one object must have a member that the other one must not have. */
function requiresUnknown(one: Json, other: Json): boolean {
  const known = membersOf(other)
  return other['additionalProperties'] === false && requiredOf(one).some((name) => known[name] === undefined)
}

function membersOf(schema: Json): Json {
  return isObject(schema['properties']) ? schema['properties'] : {}
}

function requiredOf(schema: Json): string[] {
  return Array.isArray(schema['required']) ? schema['required'].map(String) : []
}

/** Returns the name of a member that all objects require, with other values in each of them. */
function tellingMember(schemas: readonly Json[]): string | undefined {
  const [first = {}] = schemas
  return requiredOf(first).find((name) => {
    const values = schemas.map((schema) => (requiredOf(schema).includes(name) ? valuesOf(membersOf(schema)[name]) : []))
    const all = values.flat()
    return values.every((own) => own.length > 0) && new Set(all).size === all.length
  })
}

function withDiscriminator(schema: Json, alternatives: readonly Json[]): Json {
  if (schema['discriminator'] !== undefined && isObject(schema['discriminator'])) {
    const { propertyName } = schema['discriminator']
    if (typeof propertyName === 'string') return { ...schema, discriminator: discriminator(propertyName, alternatives) }
  }
  const name = alternatives.every(({ type }) => type === 'object') ? tellingMember(alternatives) : undefined
  return name === undefined ? schema : { ...schema, discriminator: discriminator(name, alternatives) }
}

/**
 * Returns the discriminator with the schema of each value. Alternatives need a title, because the mapping refers to
 * named schemas.
 */
function discriminator(propertyName: string, alternatives: readonly Json[]): Json {
  const mapping = alternatives.flatMap((schema) => {
    const { title } = schema
    if (typeof title !== 'string') throw new Error(`an alternative by ${propertyName} has no title`)
    return valuesOf(membersOf(schema)[propertyName]).map((value) => [String(value), `#/components/schemas/${title}`])
  })
  return { propertyName, mapping: Object.fromEntries(mapping) }
}
