import { type Static, type TProperties, Type } from 'typebox'
import { AvailableActionBody } from '../../order/bodies/schemas.ts'
import { ORDER_STATUSES } from '../../order/state.ts'
import { holdMembers, parcelMembers } from '../schemas.ts'

const closed = { additionalProperties: false } as const

export const MAX_BULK_ORDERS = 200

const orderMembers = {
  id: Type.String({ maxLength: 64 }),
  revision: Type.Optional(
    Type.Integer({
      minimum: 0,
      description:
        'The `revision` that the client has read. If the order has changed since, it fails with `precondition_failed`.',
    }),
  ),
}

function change<const Action extends string, Members extends TProperties, OfOrder extends TProperties>(
  action: Action,
  title: string,
  members: Members,
  ofOrder: OfOrder,
) {
  return Type.Object(
    {
      action: Type.Literal(action),
      ...members,
      orders: Type.Array(Type.Object({ ...orderMembers, ...ofOrder }, closed), {
        minItems: 1,
        maxItems: MAX_BULK_ORDERS,
        description: 'Each order once.',
      }),
    },
    { ...closed, title },
  )
}

const { carrier, ...parcelOfOrder } = parcelMembers

const CHANGES = [
  change('start_production', 'BulkStartProduction', {}, {}),
  change('ship', 'BulkShip', { carrier }, parcelOfOrder),
  change('deliver', 'BulkDeliver', {}, {}),
  change('hold', 'BulkHold', holdMembers, {}),
  change('release', 'BulkRelease', {}, {}),
] as const

export type BulkRequest = Static<(typeof CHANGES)[number]>
export type BulkAction = BulkRequest['action']

export const BulkBody = Type.Unsafe<BulkRequest>({
  type: 'object',
  required: ['action'],
  discriminator: { propertyName: 'action' },
  oneOf: CHANGES,
})

export const FailureBody = Type.Object(
  {
    code: Type.String({ description: 'The code of the problem.' }),
    title: Type.String(),
    status: Type.Integer({ description: 'The status that the single operation would have.' }),
    detail: Type.String(),
  },
  { ...closed, title: 'OrderFailure', description: 'Why the order was not changed.' },
)
export type FailureBody = Static<typeof FailureBody>

const ResultBody = Type.Object(
  {
    orderId: Type.String(),
    outcome: Type.Unsafe<'done' | 'unchanged' | 'failed'>({
      type: 'string',
      enum: ['done', 'unchanged', 'failed'],
      description: '`unchanged`: the order was already in the wanted state.',
    }),
    orderStatus: Type.Optional(Type.Unsafe<(typeof ORDER_STATUSES)[number]>({ type: 'string', enum: ORDER_STATUSES })),
    revision: Type.Optional(Type.Integer({ description: 'The present revision of the order, unless it failed.' })),
    availableActions: Type.Optional(
      Type.Array(AvailableActionBody, {
        description: 'As in the order, unless it failed. So the next action needs no further read.',
      }),
    ),
    failure: Type.Optional(FailureBody),
  },
  { ...closed, title: 'BulkResult' },
)
export type ResultBody = Static<typeof ResultBody>

export const BulkResultsBody = Type.Object(
  { results: Type.Array(ResultBody, { description: 'One for each order, in the order of the request.' }) },
  { ...closed, title: 'BulkResults' },
)
export type BulkResultsBody = Static<typeof BulkResultsBody>
