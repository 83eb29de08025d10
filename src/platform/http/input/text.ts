import { Type } from 'typebox'

/** Overrides and isolates of the direction of writing: what they are in, a label say, would read otherwise than it is. */
const TURNING = '\\u202a-\\u202e\\u2066-\\u2069'
/** Some letters show nothing: fillers of Hangul, for instance. */
const VISIBLE = '(?!\\p{DI})[\\p{L}\\p{N}\\p{P}\\p{S}]'

export const LINE_CHARACTER = `[^\\p{Cc}\\p{Zl}\\p{Zp}${TURNING}]`

/** A line of text for people, with something to see in it: no control characters, line breaks or bidirectional controls. */
export function line(maxLength: number, options: object = {}) {
  const pattern = `^(?=.*${VISIBLE})${LINE_CHARACTER}+$`
  return Type.String({ minLength: 1, maxLength, pattern, ...options })
}

export function paragraph(maxLength: number, options: object = {}) {
  const pattern = `^(?=[\\s\\S]*${VISIBLE})(?:[^\\p{Cc}${TURNING}]|[\\n\\r\\t])+$`
  return Type.String({ minLength: 1, maxLength, pattern, ...options })
}
