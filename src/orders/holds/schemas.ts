import { type Static, Type } from 'typebox'
import { paragraph } from '../../platform/http/input/text.ts'
import { AddressInput } from '../order/address.ts'
import { optionalBody } from '../order/requests.ts'

const members = Type.Object(
  {
    shippingAddress: Type.Optional(AddressInput),
    message: Type.Optional(paragraph(1000, { description: 'Message to the shop. Appears in the timeline.' })),
  },
  { additionalProperties: false },
)
export type HoldAnswer = Static<typeof members>

export const ResolveHoldBody = optionalBody(members)
