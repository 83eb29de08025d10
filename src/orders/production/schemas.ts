import { type Static, Type } from 'typebox'
import { line, paragraph } from '../../platform/http/input/text.ts'
import { optionalBody } from '../order/bodies/requests.ts'
import { HoldResolutionBody } from '../order/bodies/schemas.ts'
import { PostalAddressInput } from '../order/postal-address.ts'

const closed = { additionalProperties: false } as const

export const holdMembers = {
  reason: paragraph(1000, { description: 'What is wrong, and how to resolve it. Shown to the customer.' }),
  resolution: Type.Optional(HoldResolutionBody),
}

export const HoldBody = Type.Object(holdMembers, closed)

const resolveHoldRequest = Type.Object(
  {
    shippingAddress: Type.Optional(PostalAddressInput),
    message: Type.Optional(paragraph(1000, { description: 'Message to the shop. Appears in the timeline.' })),
  },
  closed,
)
export type ResolveHoldRequest = Static<typeof resolveHoldRequest>

export const ResolveHoldBody = optionalBody(resolveHoldRequest)

export const parcelMembers = {
  carrier: line(100),
  trackingNumber: Type.Optional(line(100)),
  // The URL becomes a link in pages for customers, so it must not be able to run a script.
  trackingUrl: Type.Optional(
    Type.String({ format: 'uri', pattern: '^https?://[^\\s/?#@]+(?:[/?#]\\S*)?$', maxLength: 1000 }),
  ),
  shippedAt: Type.Optional(
    Type.String({
      format: 'date-time',
      description:
        'When the parcel was handed to the carrier. Default: now. Not after now or before the order, give or take a day.',
    }),
  ),
}

export const NewShipmentBody = Type.Object(
  {
    ...parcelMembers,
    items: Type.Optional(
      Type.Array(
        Type.Object(
          { itemId: Type.String({ maxLength: 64 }), quantity: Type.Integer({ minimum: 1, maximum: 100_000 }) },
          closed,
        ),
        { minItems: 1, maxItems: 100, description: 'Items in the parcel. Default: all unshipped items.' },
      ),
    ),
  },
  closed,
)

export const ReturnBody = optionalBody(
  Type.Object(
    { reason: Type.Optional(paragraph(1000, { description: 'Reason of the return. Shown to the customer.' })) },
    closed,
  ),
)

export const ShipmentParams = Type.Object({ orderId: Type.String(), shipmentId: Type.String() }, closed)
