import { type ApiDocument, resolve, type Schema } from './document.ts'

const ID_SUFFIX = '01h455vb4pex5vsknk084sn02q'

/** Values of members whose schema only says that they are texts. The key is the end of the name. */
const BY_NAME: readonly (readonly [RegExp, unknown])[] = [
  [/^designId$/, `dsn_${ID_SUFFIX}`],
  [/^productId$/, `prd_${ID_SUFFIX}`],
  [/^variantId$/, `var_${ID_SUFFIX}`],
  [/^assetId$/, `ast_${ID_SUFFIX}`],
  [/^fontId$/, `fnt_${ID_SUFFIX}`],
  [/^orderId$/, `ord_${ID_SUFFIX}`],
  [/^quoteId$/, `quo_${ID_SUFFIX}`],
  [/^(customerId|into)$/, `cus_${ID_SUFFIX}`],
  [/^userId$/, `usr_${ID_SUFFIX}`],
  [/email/i, 'ada@example.com'],
  [/password/i, 'a quiet lake at dusk'],
  [/url$/i, 'https://shop.example.com/hooks'],
  [/redirectUri$/, 'https://shop.example.com/signed-in'],
  [/^country$/, 'DE'],
  [/^currency$/, 'EUR'],
  [/^locale$/, 'de'],
  [/^(name|text)$/, 'Ada Example'],
  [/^city$/, 'Berlin'],
  [/^line1$/, 'Lindenstr. 12'],
  [/^postalCode$/, '10969'],
  [/^code$/, '123456'],
  [/^fontFamily$/, 'Inter'],
  [/^printAreaId$/, 'front'],
  [/^file$/, 'preview'],
  [/phone/i, '+4915112345678'],
  [/reason$/i, 'The paper is out of stock.'],
]

/** Texts that are tried for a pattern, in this order. */
const CANDIDATES = [
  'example',
  'EUR',
  '#14294A',
  '+4915112345678',
  'en',
  '/name',
  'https://shop.example.com/hooks',
  'e'.repeat(43),
  'e'.repeat(64),
  'confirmed',
]

const MAX_DEPTH = 12

/**
 * Builds a value that fits a schema, with its required members. Members that stand in `examples` of the schema are
 * taken from there.
 *
 * @param name name of the member that has the value
 */
export function exampleOf(document: ApiDocument, schema: Schema, name = '', depth = 0): unknown {
  const resolved = resolve<Schema>(document, schema as { $ref: string })
  const given = givenValue(resolved)
  if (given !== undefined) return given
  if (depth > MAX_DEPTH) return null
  const within = (inner: Schema, key = name): unknown => exampleOf(document, inner, key, depth + 1)
  const alternative = [...(resolved.anyOf ?? []), ...(resolved.oneOf ?? [])].find(({ type }) => type !== 'null')
  if (alternative !== undefined) return within(alternative)
  const type = Array.isArray(resolved.type) ? resolved.type[0] : resolved.type
  if (type === 'object') return objectExample(resolved, within)
  if (type === 'array') return arrayExample(resolved, within)
  if (type === 'string') return textExample(resolved, name)
  if (type === 'integer' || type === 'number') return numberExample(resolved)
  if (type === 'boolean') return true
  return type === 'null' ? null : 'example'
}

function givenValue({ example, examples, const: fixed, default: standard, enum: values }: Schema): unknown {
  return example ?? examples?.[0] ?? fixed ?? standard ?? (values?.includes('DE') ? 'DE' : values?.[0])
}

type Within = (inner: Schema, key?: string) => unknown

function objectExample({ properties = {}, required = [], minProperties = 0 }: Schema, within: Within): object {
  const names = Object.keys(properties)
  const optional = names.filter((name) => !required.includes(name))
  const missing = Math.max(minProperties - required.length, required.length === 0 ? 1 : 0)
  const shown = [...required, ...optional.slice(0, missing)]
  return Object.fromEntries(shown.map((name) => [name, within(properties[name] ?? {}, name)]))
}

function arrayExample({ items = {}, minItems = 1 }: Schema, within: Within): unknown[] {
  return Array.from({ length: Math.max(1, minItems) }, () => within(items))
}

function numberExample({ minimum, exclusiveMinimum, maximum }: Schema): number {
  const least = minimum ?? (exclusiveMinimum === undefined ? 1 : exclusiveMinimum + 1)
  return Math.min(Math.max(least, 1), maximum ?? Number.POSITIVE_INFINITY)
}

function textExample(schema: Schema, name: string): string {
  if (schema.format === 'date-time') return '2030-01-01T12:00:00.000Z'
  if (schema.format === 'date') return '2030-01-01'
  if (schema.format === 'uri') return 'https://shop.example.com/hooks'
  const named = BY_NAME.find(([pattern]) => pattern.test(name))?.[1]
  const candidates = [...(typeof named === 'string' ? [named] : []), ...CANDIDATES]
  return candidates.find((text) => fits(text, schema)) ?? 'example'
}

function fits(text: string, { pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY }: Schema): boolean {
  if (text.length < minLength || text.length > maxLength) return false
  return pattern === undefined || new RegExp(pattern, 'u').test(text)
}
