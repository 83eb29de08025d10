import { Type } from 'typebox'

/**
 * Bidirectional overrides and isolates. They can make a text, such as a label, read differently from what it contains.
 */
const TURNING = '\\u202a-\\u202e\\u2066-\\u2069'
/** A visible character. Some letters are invisible, such as the fillers of Hangul. */
const VISIBLE = '(?!\\p{DI})[\\p{L}\\p{N}\\p{P}\\p{S}]'

export const LINE_CHARACTER = `[^\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]`

/**
 * A schema for a line of text with at least one visible character, and without control characters, line breaks and
 * bidirectional controls.
 */
export function line(maxLength: number, options: object = {}) {
  const pattern = `^(?=.*${VISIBLE})${LINE_CHARACTER}+$`
  return Type.String({ minLength: 1, maxLength, pattern, ...options })
}

export function paragraph(maxLength: number, options: object = {}) {
  const pattern = `^(?=[\\s\\S]*${VISIBLE})(?:[^\\p{Cc}${TURNING}]|[\\n\\r\\t])+$`
  return Type.String({ minLength: 1, maxLength, pattern, ...options })
}

/** A schema for the words of a search: one line with at least one letter or digit. */
export function searchWords(description: string) {
  const pattern = '^(?=.*[\\p{L}\\p{N}])[^\\p{Cc}\\p{Zl}\\p{Zp}]+$'
  return Type.Optional(Type.String({ minLength: 2, maxLength: 100, pattern, description }))
}
