/** The keywords of JSON Schema that `openapi.json` uses. */
export interface JsonSchema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  properties?: Record<string, JsonSchema>
  required?: string[]
  additionalProperties?: boolean | JsonSchema
  items?: JsonSchema
  oneOf?: JsonSchema[]
  anyOf?: JsonSchema[]
  allOf?: JsonSchema[]
  default?: unknown
  description?: string
  deprecated?: boolean
}

/** Returns the TypeScript type of a schema. References become the names of their schemas. */
export function typeOf(schema: JsonSchema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref)
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ')
  const alternatives = schema.oneOf ?? schema.anyOf
  if (alternatives !== undefined) return unionOf(alternatives.map(typeOf))
  if (schema.allOf !== undefined) return schema.allOf.map((part) => inParentheses(typeOf(part))).join(' & ')
  if (Array.isArray(schema.type)) return unionOf(schema.type.map((type) => typeOf({ ...schema, type })))
  return ofType(schema)
}

/** Returns the declaration of a named schema. */
export function declarationOf(name: string, schema: JsonSchema): string {
  const text = typeOf(schema)
  const declared = text.startsWith('{') ? `export interface ${name} ${text}` : `export type ${name} = ${text}`
  return `${commentOf(schema)}${declared}\n`
}

export function commentOf({ description, deprecated }: JsonSchema): string {
  const lines = [
    ...(description === undefined ? [] : description.replaceAll('*/', '* /').split('\n')),
    ...(deprecated === true ? ['@deprecated'] : []),
  ]
  if (lines.length === 0) return ''
  return lines.length === 1
    ? `/** ${lines[0]} */\n`
    : `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

export const nameOf = (reference: string): string => reference.split('/').at(-1) ?? ''

function ofType(schema: JsonSchema): string {
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `${inParentheses(typeOf(schema.items ?? {}))}[]`
    case 'object':
      return objectType(schema)
    case undefined:
      return 'unknown'
    default:
      throw new Error(`the generator of the client does not know the type ${String(schema.type)}`)
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(
    // A member with a default may be left out, although the schema of the validated request has it.
    ([name, schema]) => {
      const isRequired = required.includes(name) && schema.default === undefined
      return `${commentOf(schema)}${keyOf(name)}${isRequired ? '' : '?'}: ${typeOf(schema)}\n`
    },
  )
  if (members.length > 0) return `{\n${members.join('')}}`
  if (typeof additionalProperties === 'object') return `Record<string, ${typeOf(additionalProperties)}>`
  return additionalProperties === false ? 'Record<string, never>' : 'Record<string, unknown>'
}

const keyOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name))
const unionOf = (types: readonly string[]): string => [...new Set(types)].join(' | ')
const inParentheses = (type: string): string => (/[|&]/.test(type) && !type.startsWith('{') ? `(${type})` : type)
