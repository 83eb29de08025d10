import { Type } from 'typebox'

/** For a POST that takes nothing: no body, or `{}` from clients that cannot send none. */
export const EmptyBody = Type.Union([Type.Object({}, { additionalProperties: false }), Type.Null()])
