import { Type } from 'typebox'
import { defineProblems } from '../../platform/problem.ts'
import { ORDER_STATUSES } from '../order/state.ts'

const REFUSALS = {
  order_not_found: 'No order has this id.',
  order_not_producible: 'Only orders that are paid and not complete can be in a batch.',
  order_in_other_batch: 'The order is in another open batch.',
} as const
export type Refusal = keyof typeof REFUSALS

export const refusalText = (code: Refusal): string => REFUSALS[code]

export const batchProblems = defineProblems({
  batch_not_found: { status: 404, title: 'Batch not found', help: '`GET /production/batches` lists the batches.' },
  batch_closed: {
    status: 409,
    title: 'Batch is closed',
    help: 'A closed batch stays as it is. Create another one.',
  },
  batch_full: {
    status: 409,
    title: 'Too many orders in the batch (limit 200)',
    help: 'Create another batch for the remaining orders.',
  },
  batch_orders_refused: {
    status: 409,
    title: 'Orders cannot be in the batch',
    statesErrors: true,
    members: {
      errors: Type.Array(
        Type.Object({
          code: Type.Unsafe<Refusal>({ type: 'string', enum: Object.keys(REFUSALS) }),
          pointer: Type.String(),
          detail: Type.String(),
          orderId: Type.String(),
          orderNumber: Type.Union([Type.String(), Type.Null()]),
          orderStatus: Type.Optional(
            Type.Unsafe<(typeof ORDER_STATUSES)[number]>({ type: 'string', enum: ORDER_STATUSES }),
          ),
          batchId: Type.Optional(Type.String({ description: 'The open batch that has the order.' })),
          batchName: Type.Optional(Type.Union([Type.String(), Type.Null()])),
        }),
      ),
    },
    help: '`errors` names each order at fault, and the open batch that it is in. Nothing was changed.',
  },
})
