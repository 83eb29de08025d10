import { type RawBuilder, sql } from 'kysely'
import { httpProblems } from '../http/core/problems.ts'
import { DEEP_OBJECTS } from '../http/operations/deep-objects.ts'
import type { ProblemDetail } from '../problem.ts'

const MAX_FILTERS = 10
const MAX_KEY_LENGTH = 64
const MAX_VALUE_LENGTH = 500

const PARAMETER = '^metadata\\[.*\\]$'

/**
 * Options of a query schema that accept `metadata[key]=value`. The schema passes every such parameter;
 * `readMetadataFilter` reports faults in terms of the filter.
 */
export const METADATA_PARAMETERS = {
  patternProperties: { [PARAMETER]: {} },
  [DEEP_OBJECTS]: {
    metadata: {
      type: 'object',
      additionalProperties: { type: 'string', maxLength: MAX_VALUE_LENGTH },
      maxProperties: MAX_FILTERS,
      description:
        'Only records whose metadata has all of these values: `metadata[key]=value`, at most 10 keys. `7` and `true` also match the number and the boolean.',
    },
  },
} as const

/** Values of metadata that a record must have, by key. */
export type MetadataFilter = ReadonlyMap<string, string>

/**
 * Reads the filter from a query that `METADATA_PARAMETERS` accepted.
 *
 * @throws `validation_failed`
 */
export function readMetadataFilter(query: object): MetadataFilter | undefined {
  const given = Object.entries(query).filter(([parameter]) => new RegExp(PARAMETER, 's').test(parameter))
  if (given.length === 0) return undefined
  if (given.length > MAX_FILTERS) throw refused([toFault('metadata', 'too_many', `At most ${MAX_FILTERS} keys.`)])
  const faults = given.flatMap(([parameter, value]) => faultsOf(parameter, value))
  if (faults.length > 0) throw refused(faults)
  return new Map(given.map(([parameter, value]) => [keyOf(parameter), value as string]))
}

const keyOf = (parameter: string): string => parameter.slice('metadata['.length, -1)

function faultsOf(parameter: string, value: unknown): ProblemDetail[] {
  const keyLength = [...keyOf(parameter)].length
  if (keyLength < 1 || keyLength > MAX_KEY_LENGTH) {
    return [toFault(parameter, 'wrong_format', `A key has 1 to ${MAX_KEY_LENGTH} characters.`)]
  }
  if (typeof value !== 'string') return [toFault(parameter, 'duplicate', 'Name each key once.')]
  if ([...value].length <= MAX_VALUE_LENGTH) return []
  return [toFault(parameter, 'too_long', `A value has at most ${MAX_VALUE_LENGTH} characters.`)]
}

const toFault = (parameter: string, code: string, detail: string): ProblemDetail => ({ code, parameter, detail })

const refused = (errors: ProblemDetail[]) =>
  httpProblems.validation_failed({ detail: 'The query does not match its schema.', errors })

/**
 * The condition that a column of type `json` has these values, which the index on the column as `jsonb` finds. PostgreSQL
 * converts the whole metadata of each row that the index finds, so the condition is one expression: with one for each
 * value, a filter by ten numbers converted a row twenty times.
 */
export function hasMetadata(column: string, filter: MetadataFilter): RawBuilder<boolean> {
  const conditions = Array.from(filter, ([key, text]) => {
    const alternatives = valuesOf(text).map((value) => `$.${JSON.stringify(key)} == ${JSON.stringify(value)}`)
    return `(${alternatives.join(' || ')})`
  })
  const metadata = sql.raw(column)
  // The first part is the condition of the index.
  return sql`(${metadata}::text <> '{}' and ${metadata}::jsonb @@ ${conditions.join(' && ')}::jsonpath)`
}

/** The values of metadata that a text in a query can mean. */
function valuesOf(text: string): (string | number | boolean)[] {
  if (text === 'true' || text === 'false') return [text, text === 'true']
  const isNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(text) && Number.isFinite(Number(text))
  return isNumber ? [text, Number(text)] : [text]
}
