import { readWeightedValues } from './weighted-values.ts'

/**
 * Returns the languages of the header `Accept-Language` as BCP 47 tags, most wanted first (RFC 9110, section 12.5.4). A
 * range for all languages, `*`, is left out.
 */
export function acceptedLanguages(header = ''): string[] {
  return readWeightedValues(header)
    .filter(({ value, weight }) => value !== '' && value !== '*' && weight > 0)
    .sort((one, other) => other.weight - one.weight)
    .map(({ value }) => value)
}
