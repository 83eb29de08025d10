import { type Static, Type } from 'typebox'
import { customerIdOf } from '../../../auth/index.ts'
import { AcceptedIssuesBody, FinalizationFileBody } from '../../../designs/index.ts'
import { pageOf } from '../../../platform/http/responses/pagination.ts'
import { ExternalReferenceBody } from '../../../platform/records/external-reference.ts'
import { LEFT_OUT_OF_SUMMARIES, type ListView, listViewParameter } from '../../../platform/records/list-view.ts'
import { AmountsBody, MoneyBody, toAmountsBody, toMoney } from '../money.ts'
import { PostalAddressBody } from '../postal-address.ts'
import {
  type ActionPermission,
  availableActions,
  HELD_STATUSES,
  type HeldStatus,
  HOLD_RESOLUTIONS,
  type HoldResolution,
  ITEM_FILES_FAILURES,
  ITEM_FILES_STATUSES,
  type ItemFilesStatus,
  ORDER_ACTION_NAMES,
  ORDER_STATUSES,
  SHIPMENT_STATUSES,
} from '../state.ts'
import type { Order, OrderHold, OrderItem, OrderShipment, Personalization } from '../store.ts'
import { ActorBody, NoteBody } from './actor-body.ts'
import { AgreedPriceBody, toAgreedPriceMember } from './agreed-price.ts'
import { itemSnapshotMembers, toSnapshotBody } from './item-snapshot.ts'
import { PaymentBody, toPaymentBody } from './payment-body.ts'
import { MetadataBody } from './requests.ts'

const closed = { additionalProperties: false } as const
const timestamp = Type.String({ format: 'date-time' })
const nullable = <T extends ReturnType<typeof Type.String>>(schema: T) => Type.Union([schema, Type.Null()])
const oneOf = <const Values extends readonly string[]>(values: Values) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values })

const PersonalizationBody = Type.Object(
  {
    status: Type.Unsafe<ItemFilesStatus>({
      type: 'string',
      enum: ITEM_FILES_STATUSES,
      description: '`pending` until the files are rendered, then `ready` or `failed`.',
    }),
    contentHash: Type.Optional(
      Type.String({
        description: 'SHA-256 over everything that determines the files. Present if `status` is `ready`.',
      }),
    ),
    files: Type.Array(FinalizationFileBody, { description: 'Empty unless `status` is `ready`.' }),
    failure: Type.Optional(
      Type.Object(
        { code: Type.String({ description: 'Stable code. Later versions may add codes.' }), detail: Type.String() },
        { ...closed, description: 'Reason of the failure. Present if `status` is `failed`.' },
      ),
    ),
  },
  { ...closed, title: 'Personalization' },
)

export const ItemData = Type.Record(Type.String(), Type.String())

export const OrderItemBody = Type.Object(
  {
    id: Type.String(),
    designId: Type.String(),
    finalizationId: Type.String(),
    variantId: Type.String(),
    quantity: Type.Integer(),
    ...itemSnapshotMembers,
    data: Type.Optional(ItemData),
    unitPrice: MoneyBody,
    agreedPrice: Type.Optional(AgreedPriceBody),
    total: MoneyBody,
    personalization: Type.Optional(PersonalizationBody),
    files: Type.Optional(
      Type.Array(FinalizationFileBody, {
        description:
          'Print files and previews to produce the item from, with its own texts if it has any. Operators only.',
      }),
    ),
    receipt: Type.Optional(Type.String({ description: 'Signed receipt of the finalization. Operators only.' })),
    preflight: Type.Optional(AcceptedIssuesBody),
  },
  { ...closed, title: 'OrderItem' },
)
export type OrderItemBody = Static<typeof OrderItemBody>

export const ShipmentBody = Type.Object(
  {
    id: Type.String(),
    status: oneOf(SHIPMENT_STATUSES),
    carrier: Type.String(),
    trackingNumber: nullable(Type.String()),
    trackingUrl: nullable(Type.String()),
    items: Type.Array(Type.Object({ itemId: Type.String(), quantity: Type.Integer() }, closed)),
    createdAt: timestamp,
    shippedAt: Type.String({ format: 'date-time', description: 'When the parcel was handed to the carrier.' }),
    deliveredAt: nullable(timestamp),
    returnedAt: nullable(timestamp),
  },
  { ...closed, title: 'Shipment' },
)
export type ShipmentBody = Static<typeof ShipmentBody>

export const HoldResolutionBody = Type.Unsafe<HoldResolution>({
  type: 'string',
  enum: HOLD_RESOLUTIONS,
  description:
    'What the owner can send: another postal `address` or a `confirmation`, after which the order continues; an `answer`, after which the shop decides; or `none`.',
})

const OrderHoldBody = Type.Object(
  {
    reason: Type.String(),
    since: timestamp,
    resolution: HoldResolutionBody,
    statusBefore: Type.Optional(
      Type.Unsafe<HeldStatus>({
        type: 'string',
        enum: HELD_STATUSES,
        description: 'Status of the order before the hold, to which a release returns it.',
      }),
    ),
    answeredAt: Type.Optional(
      Type.String({ format: 'date-time', description: 'Time at which the owner sent an `answer`.' }),
    ),
  },
  { ...closed, title: 'OrderHold', description: 'Present while the order is on hold.' },
)

const TimelineEntryBody = Type.Object(
  {
    type: Type.String({
      description: 'An event type, or a type that exists only in the timeline, such as `order.released`.',
    }),
    at: timestamp,
    by: oneOf(['customer', 'operator', 'system']),
    actor: Type.Optional(ActorBody),
    reason: Type.Optional(Type.String()),
  },
  { ...closed, title: 'TimelineEntry' },
)

export const AvailableActionBody = Type.Object(
  { action: oneOf(ORDER_ACTION_NAMES), allowed: Type.Boolean(), reason: Type.Optional(Type.String()) },
  { ...closed, title: 'AvailableAction' },
)

export const OrderBody = Type.Object(
  {
    id: Type.String(),
    number: Type.String({
      description:
        'Number for people, such as `PL-7KQ4-M2XD`. The last character is a check character. Numbers are random: they reveal neither the number of orders nor their sequence.',
    }),
    customerId: Type.String({ description: 'Id of the customer who owns it.' }),
    status: oneOf(ORDER_STATUSES),
    hold: Type.Optional(OrderHoldBody),
    items: Type.Array(OrderItemBody),
    shippingAddress: PostalAddressBody,
    shippingMethod: Type.String({ description: 'Id of the shipping method.' }),
    amounts: AmountsBody,
    taxIncluded: Type.Boolean(),
    payment: PaymentBody,
    shipments: Type.Array(ShipmentBody),
    timeline: Type.Array(TimelineEntryBody, { description: 'Oldest first.' }),
    notes: Type.Optional(
      Type.Array(NoteBody, { description: 'Internal notes of the shop, oldest first. Operators only.' }),
    ),
    availableActions: Type.Array(AvailableActionBody, {
      description:
        '`deliver` and `return` are allowed if at least one shipment allows them, `retry_files` if the print files of at least one item have failed.',
    }),
    metadata: MetadataBody,
    externalReference: ExternalReferenceBody,
    revision: Type.Integer({
      description: 'Increases with every change. The `ETag` of the order is this number in quotes.',
    }),
    dueAt: Type.Union([timestamp, Type.Null()], {
      description:
        'Time by which the order should arrive: `estimatedDays.max` working days, Monday to Friday, of its shipping method after it was paid. Null until then, and for orders that were paid under an earlier version.',
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { ...closed, title: 'Order' },
)
export type OrderBody = Static<typeof OrderBody>

/** An order in a list. */
export const ListedOrderBody = Type.Object(
  {
    ...OrderBody.properties,
    timeline: Type.Optional(Type.Array(TimelineEntryBody, { description: 'Oldest first.', ...LEFT_OUT_OF_SUMMARIES })),
  },
  {
    ...closed,
    title: 'ListedOrder',
    description: 'An order. With `view=summary` its timeline and notes are left out.',
  },
)
export type ListedOrderBody = Static<typeof ListedOrderBody>
export const OrderPage = pageOf(ListedOrderBody)

/** Leaves out of a body what summaries do not have. */
export function inView(order: OrderBody, view: ListView | undefined): ListedOrderBody {
  if (view !== 'summary') return order
  const { timeline: _, notes: __, ...summary } = order
  return summary
}

export const OrderListView = listViewParameter('`timeline`, `notes`')

export interface OrderView {
  operator: boolean
  /**
   * User who reads the order. Operators can act on their own orders as a customer does. Unnecessary for customers, who
   * see only their own orders.
   */
  viewerId?: string
  /** Whether the account of the reader has a permission. Unnecessary for those who may do everything in their role. */
  may?: (permission: ActionPermission) => boolean
  onlinePayment: boolean
}

/** Creates the body of an order as its owner sees it. The body for operators differs only in `availableActions`. */
export function toOrderBody(order: Order, view: OrderView): OrderBody {
  return {
    id: order.id,
    number: order.number,
    customerId: customerIdOf(order.ownerId),
    status: order.status,
    ...(order.hold === null ? {} : { hold: toOrderHoldBody(order.hold, order.heldStatus) }),
    items: order.items.map((item) => toOrderItemBody(order, item)),
    shippingAddress: order.shippingAddress,
    shippingMethod: order.shippingMethod,
    amounts: toAmountsBody(order.amounts),
    taxIncluded: order.amounts.taxIncluded,
    payment: toPaymentBody(order),
    shipments: order.shipments.map(toShipmentBody),
    timeline: order.timeline.map(({ type, at, by, reason }) => ({
      type,
      at: at.toISOString(),
      by,
      ...(reason === null ? {} : { reason }),
    })),
    availableActions: toAvailableActions(order, view),
    metadata: order.metadata,
    externalReference: order.externalReference,
    revision: order.revision,
    dueAt: order.dueAt?.toISOString() ?? null,
    createdAt: order.createdAt.toISOString(),
    updatedAt: order.updatedAt.toISOString(),
  }
}

/** Lists what the reader may do with an order, and why not. */
export function toAvailableActions(order: Order, view: OrderView): Static<typeof AvailableActionBody>[] {
  return availableActions(order, { ...view, owner: view.viewerId === order.ownerId })
}

function toOrderHoldBody(
  { reason, since, resolution, answeredAt }: OrderHold,
  statusBefore: HeldStatus | null,
): Static<typeof OrderHoldBody> {
  return {
    reason,
    since: since.toISOString(),
    resolution,
    ...(statusBefore === null ? {} : { statusBefore }),
    ...(answeredAt === null ? {} : { answeredAt: answeredAt.toISOString() }),
  }
}

function toOrderItemBody(order: Order, item: OrderItem): OrderItemBody {
  const { currency } = order.amounts
  const { id, designId, finalizationId, variantId, quantity, data, unitAmount, totalAmount, personalization } = item
  return {
    id,
    designId,
    finalizationId,
    variantId,
    quantity,
    ...toSnapshotBody(order.id, item),
    ...(data === null ? {} : { data }),
    unitPrice: toMoney(unitAmount, currency),
    ...toAgreedPriceMember(item.snapshot?.agreedPrice, currency),
    total: toMoney(totalAmount, currency),
    ...(personalization === null ? {} : { personalization: toPersonalizationBody(personalization) }),
  }
}

function toPersonalizationBody({ status, contentHash, files, failure }: Personalization) {
  return {
    status,
    ...(contentHash === null ? {} : { contentHash }),
    files: files ?? [],
    ...(failure === null ? {} : { failure: { code: failure, detail: ITEM_FILES_FAILURES[failure] } }),
  }
}

export function toShipmentBody(shipment: OrderShipment): ShipmentBody {
  return {
    ...shipment,
    createdAt: shipment.createdAt.toISOString(),
    shippedAt: shipment.shippedAt.toISOString(),
    deliveredAt: shipment.deliveredAt?.toISOString() ?? null,
    returnedAt: shipment.returnedAt?.toISOString() ?? null,
  }
}
