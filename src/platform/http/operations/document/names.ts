import { isDeepStrictEqual } from 'node:util'
import { isObject, type Json, mapObjects } from './json.ts'

const JSON_TYPE = 'application/json'

/**
 * Gives a name to the bodies of an operation that have none. Request bodies are named after the operation, pages after
 * their records, and other responses after the operation.
 */
export function nameBodies(operation: Json, operationId: string): void {
  const name = operationId.charAt(0).toUpperCase() + operationId.slice(1)
  if (isObject(operation['requestBody'])) nameBody(operation['requestBody'], () => `${name}Request`)
  if (!isObject(operation['responses'])) return
  for (const response of Object.values(operation['responses']))
    if (isObject(response)) nameBody(response, (schema) => titleOfPage(schema) ?? `${name}Response`)
}

function nameBody(body: Json, titleOf: (schema: Json) => string): void {
  const content = isObject(body['content']) ? body['content'] : {}
  const media = content[JSON_TYPE]
  if (!isObject(media) || !isObject(media['schema'])) return
  const { schema } = media
  if (schema['title'] !== undefined || !(schema['type'] === 'object' || Array.isArray(schema['oneOf']))) return
  const title = isEmpty(schema) ? 'EmptyRequest' : titleOf(schema)
  media['schema'] = { title, ...schema }
}

function isEmpty({ properties, additionalProperties }: Json): boolean {
  return isObject(properties) && Object.keys(properties).length === 0 && additionalProperties === false
}

/** Returns the name of a page by the name of its records, such as `DesignList`. */
function titleOfPage({ properties }: Json): string | undefined {
  const data = isObject(properties) ? properties['data'] : undefined
  const items = isObject(data) ? data['items'] : undefined
  const title = isObject(items) ? items['title'] : undefined
  return typeof title === 'string' ? `${title.replace(/^Listed/, '')}List` : undefined
}

/**
 * Moves every schema with a `title` to `schemas`, so that it is described once and generated clients have a type with
 * this name. The description of a list of values is specific to its place, so it stays there.
 *
 * @throws Error if two different schemas have the same title
 */
export function nameSchemas(value: unknown, schemas: Json): unknown {
  return mapObjects(value, (schema) => {
    const { title } = schema
    if (typeof title !== 'string' || !('type' in schema || 'oneOf' in schema || 'anyOf' in schema)) return schema
    const { description, ...values } = schema
    const isList = Array.isArray(schema['enum'])
    const named = isList ? values : schema
    const known = schemas[title]
    if (known !== undefined && !isDeepStrictEqual(known, named))
      throw new Error(`two different schemas have the title ${title}`)
    schemas[title] = named
    const reference = { $ref: `#/components/schemas/${title}` }
    return isList && description !== undefined ? { description, ...reference } : reference
  })
}
