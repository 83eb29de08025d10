import { escapeHtml, inlineCode } from '../html.ts'
import type { Schema } from './document.ts'

/** Lists with more values are folded. */
const VALUES_SHOWN = 12

/** Patterns of visible characters without hidden ones are long and say little to a reader. */
const PATTERN_SHOWN = 40

/** Describes a schema as a list of its members, or as one sentence if it has none. */
export function schemaHtml(schema: Schema): string {
  return `<p>${typeHtml(schema)}${rulesHtml(schema)}</p>${descriptionHtml(schema)}${innerHtml(schema)}`
}

/** The members of a schema, of its items, and of its alternatives. Named schemas are links, so they are not repeated. */
export function innerHtml(schema: Schema): string {
  if (schema.$ref !== undefined) return ''
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return alternativesHtml(alternatives)
  const items = schema.items === undefined ? '' : innerHtml(schema.items)
  const { additionalProperties: others } = schema
  const values = typeof others === 'object' ? innerHtml(others) : ''
  return `${fieldsHtml(schema)}${items}${values}`
}

function fieldsHtml({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([name, schema]) =>
    fieldHtml(name, schema, required.includes(name) ? 'required' : ''),
  )
  return rows.length === 0 ? '' : `<dl class="fields">${rows.join('')}</dl>`
}

/** @param mark stands behind the name, such as `required` */
export function fieldHtml(name: string, schema: Schema, mark = '', description = schema.description): string {
  const text = description === undefined ? '' : `<p>${inlineCode(description)}</p>`
  const marked = mark === '' ? '' : ` <span class="required">${mark}</span>`
  return `<dt><code>${escapeHtml(name)}</code>${marked}</dt><dd><p>${typeHtml(schema)}${rulesHtml(schema)}</p>${text}${innerHtml(schema)}</dd>`
}

function descriptionHtml({ description }: Schema): string {
  return description === undefined ? '' : `<p>${inlineCode(description)}</p>`
}

function alternativesHtml(alternatives: readonly Schema[]): string {
  const inner = alternatives.map((one) => ({ one, html: innerHtml(one) })).filter(({ html }) => html !== '')
  if (inner.length === 1) return inner[0]?.html ?? ''
  return inner.map(({ one, html }, index) => `<p>Form ${index + 1}${rulesHtml(one)}</p>${html}`).join('')
}

const isNull = ({ type }: Schema): boolean => type === 'null'
const alternativesOf = ({ anyOf, oneOf, allOf }: Schema): readonly Schema[] => anyOf ?? oneOf ?? allOf ?? []

function typeHtml(schema: Schema): string {
  return `<span class="type">${typeName(schema)}</span>`
}

function typeName(schema: Schema): string {
  const { $ref, type, items, const: fixed, enum: values } = schema
  if ($ref !== undefined) return schemaLink($ref.split('/').at(-1) ?? '')
  const alternatives = alternativesOf(schema)
  if (alternatives.length > 0) return namesOf(alternatives)
  if (fixed !== undefined) return valueHtml(fixed)
  if (type === 'array') return `array of ${items === undefined ? 'any value' : typeName(items)}`
  if (Array.isArray(type)) return type.join(' or ')
  if (values?.length === 1) return valueHtml(values[0])
  return schema.format === undefined ? (type ?? 'any value') : `${type} (${schema.format})`
}

/** Names the alternatives once each, null last. Fixed values become one list. */
function namesOf(alternatives: readonly Schema[]): string {
  const names = new Set(alternatives.filter((one) => !isNull(one)).map(typeName))
  const isNullable = alternatives.some(isNull)
  return [...names, ...(isNullable ? ['null'] : [])].join(' or ')
}

export function schemaLink(name: string): string {
  return `<a href="/docs/reference/schemas#${encodeURIComponent(name)}">${escapeHtml(name)}</a>`
}

const valueHtml = (value: unknown): string => `<code>${escapeHtml(JSON.stringify(value))}</code>`

/** The rules that a value obeys, such as its range and its default. */
function rulesHtml(schema: Schema): string {
  const core = schema.anyOf?.filter((one) => !isNull(one)) ?? []
  const rules = [...rulesOf(schema), ...(core.length === 1 && core[0] !== undefined ? rulesOf(core[0]) : [])]
  return rules.length === 0 ? '' : `<span class="rules">; ${rules.join('; ')}</span>`
}

function rulesOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, pattern, default: standard, items } = schema
  return [
    ...valuesRule(schema.enum ?? items?.enum),
    ...range(minimum, maximum, ''),
    ...(exclusiveMinimum === undefined ? [] : [`greater than ${exclusiveMinimum}`]),
    ...(exclusiveMaximum === undefined ? [] : [`less than ${exclusiveMaximum}`]),
    ...range(schema.minLength, schema.maxLength, ' characters'),
    ...range(schema.minItems, schema.maxItems, ' items'),
    ...range(schema.minProperties, schema.maxProperties, ' members'),
    ...(schema.uniqueItems === true ? ['no value twice'] : []),
    ...(pattern !== undefined && pattern.length <= PATTERN_SHOWN
      ? [`matches <code>${escapeHtml(pattern)}</code>`]
      : []),
    ...(standard === undefined ? [] : [`default ${valueHtml(standard)}`]),
  ]
}

function range(from: number | undefined, to: number | undefined, unit: string): string[] {
  if (from === undefined && to === undefined) return []
  if (from === undefined || (from === 0 && unit !== '')) return to === undefined ? [] : [`at most ${to}${unit}`]
  return [to === undefined ? `at least ${from}${unit}` : from === to ? `${from}${unit}` : `${from} to ${to}${unit}`]
}

function valuesRule(values: readonly unknown[] | undefined): string[] {
  if (values === undefined || values.length < 2) return []
  const list = values.map(valueHtml).join(', ')
  if (values.length <= VALUES_SHOWN) return [`one of ${list}`]
  return [`one of ${values.length} values<details><summary>Values</summary>${list}</details>`]
}
