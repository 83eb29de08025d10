import { isObject, type Json } from './json.ts'

/**
 * Describes a body. If the service also validates a missing body, which has the value null, the body can be left out
 * and its schema describes only a body that is sent.
 */
export function describeBody(body: Json): Json {
  const content = isObject(body['content']) ? body['content'] : {}
  const schemas = Object.values(content).flatMap((media) => (isObject(media) ? [media['schema']] : []))
  const isOptional = schemas.some((schema) => isObject(schema) && withoutNull(schema) !== schema)
  return {
    ...body,
    required: !isOptional,
    content: Object.fromEntries(Object.entries(content).map(([type, media]) => [type, withSchema(media)])),
  }
}

function withSchema(media: unknown): unknown {
  if (!isObject(media) || !isObject(media['schema'])) return media
  return { ...media, schema: withDefaultsOptional(withoutNull(media['schema'])) }
}

/** A client may leave out a member with a default, which the service adds before it validates the body. */
function withDefaultsOptional(schema: Json): Json {
  const { required, properties } = schema
  if (!Array.isArray(required) || !isObject(properties)) return schema
  const hasDefault = (name: unknown) => {
    const member = properties[String(name)]
    return isObject(member) && 'default' in member
  }
  const left = required.filter((name) => !hasDefault(name))
  if (left.length === required.length) return schema
  const { required: _, ...rest } = schema
  return left.length === 0 ? rest : { ...rest, required: left }
}

/** Removes null from the values that a schema allows. Returns the same schema if it does not allow null. */
function withoutNull(schema: Json): Json {
  const { type, anyOf, ...rest } = schema
  if (Array.isArray(type) && type.includes('null')) {
    const left = type.filter((one) => one !== 'null')
    return { ...rest, type: left.length === 1 ? left[0] : left }
  }
  if (!Array.isArray(anyOf)) return schema
  const left = anyOf.filter((one) => !(isObject(one) && one['type'] === 'null'))
  if (left.length === anyOf.length) return schema
  return left.length === 1 && isObject(left[0]) ? { ...left[0], ...rest } : { ...rest, anyOf: left }
}
