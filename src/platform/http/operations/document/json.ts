/** A part of the document. */
export type Json = Record<string, unknown>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns a copy in which `change` has been applied to every object, from the innermost to the outermost. */
export function mapObjects(value: unknown, change: (object: Json) => Json): unknown {
  if (Array.isArray(value)) return value.map((one) => mapObjects(one, change))
  if (!isObject(value)) return value
  return change(Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mapObjects(one, change)])))
}
