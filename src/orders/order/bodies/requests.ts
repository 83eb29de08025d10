import { type Static, type TObject, Type } from 'typebox'
import { LINE_CHARACTER, paragraph } from '../../../platform/http/input/text.ts'

/** Makes a body optional. A missing body is validated as `null`. */
export function optionalBody<T extends TObject>(body: T) {
  return Type.Unsafe<Static<T> | null>({ ...body, type: ['object', 'null'] })
}

export const MetadataBody = Type.Record(
  Type.String({ pattern: `^${LINE_CHARACTER}{1,64}$` }),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: 50,
    additionalProperties: false,
    description: 'Data of the client, not interpreted by the service. Values are strings, numbers or booleans.',
  },
)

/** For actions without parameters: `{}` or no body. */
export const NoBody = optionalBody(Type.Object({}, { additionalProperties: false }))

export const CancelBody = optionalBody(
  Type.Object({ reason: Type.Optional(paragraph(1000)) }, { additionalProperties: false }),
)

export const OrderParams = Type.Object({ orderId: Type.String() }, { additionalProperties: false })
