import { Type } from 'typebox'

/** Schema for the body of a POST without input: no body, or `{}` for clients that must send one. */
export const EmptyBody = Type.Union([Type.Object({}, { additionalProperties: false }), Type.Null()])
