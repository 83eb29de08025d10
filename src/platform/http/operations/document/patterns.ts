import { type Json, mapObjects } from './json.ts'

/** Classes of characters as ranges, which regular expressions of every language understand. */
const RANGES: Readonly<Record<string, string>> = {
  '\\p{Cc}': '\\u0000-\\u001f\\u007f-\\u009f',
  '\\p{Zl}': '\\u2028',
  '\\p{Zp}': '\\u2029',
  '\\p{Cf}': '\\u00ad\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f\\ufeff',
}

const PROPERTY = /\\p\{/i

/** Rules that ranges cannot express, such as a letter of any script. The service checks them, too. */
const UNDOCUMENTED = /\(\?=(?:\.|\[\\s\\S\])\*(?:\(\?!\\p\{DI\}\))?\[(?:\\p\{[A-Z]\})+\]\)/g

/**
 * Rewrites patterns without Unicode properties, which many regular expressions do not have and others have only with a
 * flag. A rewritten pattern accepts every value that the original one accepts.
 *
 * @throws Error if a pattern has a property that is not known here
 */
export function portablePatterns<Value>(value: Value): Value {
  return mapObjects(value, withPortablePattern) as Value
}

function withPortablePattern(schema: Json): Json {
  const { pattern } = schema
  if (typeof pattern !== 'string' || !PROPERTY.test(pattern)) return schema
  return { ...schema, pattern: toPortable(pattern) }
}

function toPortable(pattern: string): string {
  // A negated property stands alone. Within a class it would stay, and be an error.
  let portable = pattern.replaceAll(UNDOCUMENTED, '').replaceAll(/(?<!\[[^\]]*)\\P(\{\w+\})/g, '[^\\p$1]')
  for (const [property, range] of Object.entries(RANGES)) portable = portable.replaceAll(property, range)
  if (PROPERTY.test(portable)) throw new Error(`the document cannot express the pattern ${pattern}`)
  return portable
}
