import type { FastifyError } from 'fastify'
import type { Problem, ProblemDetail } from '../../problem.ts'
import { httpProblems } from '../core/problems.ts'
import { escapePointer } from './strict-json.ts'

/** Limit of reported errors. A higher limit would only allow large responses to small requests. */
const MAX_REPORTED = 50
/** Maximum number of errors that are examined for a body with many faults. */
const MAX_EXAMINED = 500

type AjvError = {
  keyword: string
  instancePath: string
  schemaPath: string
  message?: string
  params: Record<string, unknown>
  /** The schema that contains the keyword. */
  parentSchema?: Record<string, unknown>
}

export function validationProblem(error: FastifyError): Problem {
  const context = error.validationContext ?? 'body'
  const found = (error.validation ?? []).slice(0, MAX_EXAMINED) as unknown as AjvError[]
  const errors = joinAlternatives(found)
    .slice(0, MAX_REPORTED)
    .map((one) => toDetail(one, context))
  return httpProblems.validation_failed({ detail: `The ${describe(context)} does not match its schema.`, errors })
}

function describe(context: string): string {
  if (context === 'querystring') return 'query'
  return context === 'params' ? 'path' : context
}

/**
 * Joins errors of union types. Ajv reports the errors of every alternative, although the client meant only one. If
 * exactly one alternative fits the type of the value, only its errors are reported. Otherwise one error summarizes all
 * alternatives.
 */
function joinAlternatives(errors: readonly AjvError[]): AjvError[] {
  const union = errors.find(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf')
  if (union === undefined) return [...errors]
  const { schemaPath, instancePath } = union
  const isBelow = (error: AjvError): boolean =>
    error.schemaPath.startsWith(`${schemaPath}/`) && `${error.instancePath}/`.startsWith(`${instancePath}/`)
  const below = errors.filter(isBelow)
  const alternatives = Map.groupBy(below, (error) => error.schemaPath.slice(schemaPath.length + 1).split('/', 1)[0])
  const meant = [...alternatives.values()].filter((wrong) => !wrong.some((error) => isOfOtherKind(error, instancePath)))
  const [only] = meant
  const joined = meant.length === 1 && only !== undefined ? only : [summaryOf(union, below)]
  const place = errors.findIndex((error) => error === union || isBelow(error))
  const rest = errors.filter((error) => error !== union && !isBelow(error))
  return joinAlternatives([...rest.slice(0, place), ...joined, ...rest.slice(place)])
}

/**
 * Tells whether an error means that the value has another type or discriminator than the alternative. Other errors are
 * faults of a value that was meant for the alternative.
 */
function isOfOtherKind(error: AjvError, instancePath: string): boolean {
  return error.instancePath === instancePath && ['type', 'const', 'enum'].includes(error.keyword)
}

/** Joins the errors of all alternatives into one error that lists the allowed values or types. */
function summaryOf(union: AjvError, errors: readonly AjvError[]): AjvError {
  const here = errors.filter(({ instancePath }) => instancePath === union.instancePath)
  const values = here.flatMap(({ keyword, params }) => {
    if (keyword === 'const') return [params['allowedValue']]
    return keyword === 'enum' ? (params['allowedValues'] as unknown[]) : []
  })
  if (values.length > 0) return { ...union, keyword: 'enum', params: { allowedValues: [...new Set(values)] } }
  const types = here.flatMap(({ keyword, params }) => (keyword === 'type' ? [params['type']] : []))
  if (types.length === 0) return { ...union, keyword: 'forms', message: 'matches none of the allowed forms' }
  return { ...union, keyword: 'type', message: `must be ${[...new Set(types.flat())].join(' or ')}`, params: {} }
}

function toDetail(error: AjvError, context: string): ProblemDetail {
  const { params } = error
  const member =
    params['additionalProperty'] ??
    params['unevaluatedProperty'] ??
    params['missingProperty'] ??
    (error.keyword === 'discriminator' ? params['tag'] : undefined)
  const path = typeof member === 'string' ? `${error.instancePath}/${escapePointer(member)}` : error.instancePath
  const isAbsent = error.keyword === 'discriminator' && params['tagValue'] === undefined
  const code = isAbsent ? 'required' : (CODES[error.keyword] ?? 'invalid')
  const detail = isAbsent ? REQUIRED : explain(error)
  if (context === 'body') return { code, pointer: path, detail }
  return { code, [context === 'headers' ? 'header' : 'parameter']: path.slice(1), detail }
}

const CODES: Record<string, string> = {
  additionalProperties: 'unknown_field',
  unevaluatedProperties: 'unknown_field',
  required: 'required',
  type: 'wrong_type',
  enum: 'unknown_value',
  const: 'unknown_value',
  discriminator: 'unknown_value',
  format: 'wrong_format',
  pattern: 'wrong_format',
  minLength: 'too_short',
  maxLength: 'too_long',
  minimum: 'too_small',
  exclusiveMinimum: 'too_small',
  maximum: 'too_large',
  exclusiveMaximum: 'too_large',
  minItems: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'duplicate',
}

const REQUIRED = 'This member is required.'

function explain({ keyword, message, params, parentSchema }: AjvError): string {
  if (keyword === 'additionalProperties' || keyword === 'unevaluatedProperties') return 'This member is not known here.'
  if (keyword === 'required') return REQUIRED
  if (keyword === 'enum') return `Expected one of: ${(params['allowedValues'] as unknown[]).join(', ')}.`
  if (keyword === 'const') return `Expected ${JSON.stringify(params['allowedValue'])}.`
  if (keyword === 'discriminator')
    return `Expected one of: ${tagValues(String(params['tag']), parentSchema).join(', ')}.`
  return `This ${message ?? 'is not valid'}.`
}

/** Returns the values of a discriminator, from the alternatives of its schema. */
function tagValues(tag: string, schema: Record<string, unknown> = {}): unknown[] {
  const alternatives = (schema['oneOf'] ?? schema['anyOf'] ?? []) as {
    properties?: Record<string, { const?: unknown }>
  }[]
  return alternatives.map(({ properties }) => properties?.[tag]?.const)
}
