/**
 * The keyword of a query schema that documents parameters such as `metadata[key]=value`: an object with the schema of
 * each by its name. Validators ignore the keyword.
 */
export const DEEP_OBJECTS = 'x-deep-objects'

interface QuerySchema {
  properties?: Record<string, object>
  [DEEP_OBJECTS]?: Record<string, object>
}

/** Lists the parameters of this form among the properties of a query schema. */
export function withDeepObjects<Schema extends { querystring?: unknown }>(schema: Schema): Schema {
  const { [DEEP_OBJECTS]: objects, ...query } = (schema.querystring ?? {}) as QuerySchema
  if (objects === undefined) return schema
  return { ...schema, querystring: { ...query, properties: { ...query.properties, ...objects } } }
}
