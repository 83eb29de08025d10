import { type Static, type TObject, Type } from 'typebox'

/** A line of text for people: no control characters, no line breaks, not blank. */
export function line(maxLength: number, options: object = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: '^(?=.*\\S)[^\\p{Cc}\\p{Zl}\\p{Zp}]+$', ...options })
}

/** Text of several lines. */
export function paragraph(maxLength: number, options: object = {}) {
  return Type.String({ minLength: 1, maxLength, pattern: '^(?=[\\s\\S]*\\S)(?:[^\\p{Cc}]|[\\n\\r\\t])+$', ...options })
}

/** A body that may be left out altogether: an absent one is checked as `null`. */
export function optionalBody<T extends TObject>(body: T) {
  return Type.Unsafe<Static<T> | null>({ ...body, type: ['object', 'null'] })
}

/** Whatever a client wants to remember with a record. */
export const MetadataBody = Type.Record(
  Type.String({ pattern: '^.{1,64}$' }),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 50, additionalProperties: false, description: 'Whatever the client wants to remember, flat.' },
)

/** For actions that take nothing: `{}` or no body. */
export const NoBody = optionalBody(Type.Object({}, { additionalProperties: false }))

export const CancelBody = optionalBody(
  Type.Object({ reason: Type.Optional(paragraph(1000)) }, { additionalProperties: false }),
)

export const OrderParams = Type.Object({ orderId: Type.String() }, { additionalProperties: false })
