import { checkLengths, type DesignDocument } from '../../drawing/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { escapePointer, parseStrictJson } from '../../platform/http/input/strict-json.ts'
import { Problem } from '../../platform/problem.ts'
import type { PlaceholderValues } from './personalize.ts'
import { VALUE_LENGTH, VALUE_PATTERN, VALUES_PER_ITEM } from './schemas.ts'

const valuePattern = new RegExp(VALUE_PATTERN, 'u')

/**
 * Reads the values of placeholders from a query parameter: a JSON object of texts by name.
 *
 * @throws `validation_failed`, which names the parameter and the JSON Pointer of the member
 */
export function readValues(text: string): PlaceholderValues {
  const value = parse(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refused('wrong_type', 'The parameter must be a JSON object.')
  }
  const values = Object.entries(value)
  if (values.length > VALUES_PER_ITEM) throw refused('too_many', `The object has more than ${VALUES_PER_ITEM} texts.`)
  for (const [name, one] of values) {
    if (typeof one !== 'string') throw refused('wrong_type', 'Every member of the object must be a string.', name)
    if (one.length > VALUE_LENGTH)
      throw refused('too_long', `A text can have at most ${VALUE_LENGTH} characters.`, name)
    if (!valuePattern.test(one))
      throw refused('wrong_format', 'A text must not contain control characters other than line breaks and tabs.', name)
  }
  return value as PlaceholderValues
}

/**
 * Selects the values for which a document has placeholders.
 *
 * @throws `validation_failed` if the values make the document longer than its limit
 */
export function valuesFor(
  document: DesignDocument,
  placeholders: readonly string[],
  values: PlaceholderValues,
): PlaceholderValues {
  const used = Object.fromEntries(
    placeholders.flatMap((name) => (Object.hasOwn(values, name) ? [[name, values[name] ?? '']] : [])),
  )
  const [fault] = checkLengths(document, used)
  if (fault !== undefined) throw refused('too_long', fault.message, fault.name)
  return used
}

function parse(text: string): unknown {
  try {
    return parseStrictJson(Buffer.from(text))
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const detail = 'The parameter must be a JSON object without duplicate names, NUL characters or unpaired surrogates.'
    throw refused('wrong_format', detail)
  }
}

function refused(code: string, detail: string, name?: string) {
  const pointer = name === undefined ? {} : { pointer: `/${escapePointer(name)}` }
  return httpProblems.validation_failed({
    detail: 'The query does not match its schema.',
    errors: [{ code, parameter: 'data', ...pointer, detail }],
  })
}
