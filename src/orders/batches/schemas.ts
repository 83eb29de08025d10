import { type Static, Type } from 'typebox'
import { line } from '../../platform/http/input/text.ts'
import { PageQuery, pageOf } from '../../platform/http/responses/pagination.ts'
import { ITEM_FILES_STATUSES, ORDER_STATUSES } from '../order/state.ts'
import { MAX_BATCH_ORDERS } from './change-batch.ts'
import type { Batch, BatchOrder } from './store.ts'

const closed = { additionalProperties: false } as const

const STATUSES = ['open', 'done'] as const
const BatchStatus = Type.Unsafe<(typeof STATUSES)[number]>({ type: 'string', enum: STATUSES })
const OrderStatusBody = Type.Unsafe<(typeof ORDER_STATUSES)[number]>({ type: 'string', enum: ORDER_STATUSES })

export const BatchParams = Type.Object({ batchId: Type.String() }, closed)
export const BatchOrderParams = Type.Object({ batchId: Type.String(), orderId: Type.String() }, closed)

const orderIds = Type.Array(Type.String({ maxLength: 64 }), {
  minItems: 1,
  maxItems: MAX_BATCH_ORDERS,
  uniqueItems: true,
  description: 'Pick lists and print files follow the order of these ids.',
})

export const NewBatchBody = Type.Object({ name: Type.Optional(line(100)), orderIds }, closed)
export const BatchOrdersBody = Type.Object({ orderIds }, closed)

export const BatchListQuery = Type.Object({ ...PageQuery.properties, status: Type.Optional(BatchStatus) }, closed)

export const BatchPickListQuery = Type.Object(
  {
    offset: Type.Integer({
      ...{ minimum: 0, maximum: MAX_BATCH_ORDERS - 1, default: 0 },
      description: 'Number of orders to leave out at the begin.',
    }),
    limit: Type.Integer({ minimum: 1, maximum: 50, default: 50, description: 'Maximum number of orders.' }),
  },
  closed,
)

const batchMembers = {
  id: Type.String(),
  name: Type.Union([Type.String(), Type.Null()]),
  status: BatchStatus,
  orderCount: Type.Integer(),
  progress: Type.Object(
    Object.fromEntries(ORDER_STATUSES.map((status) => [status, Type.Integer()])) as Record<
      (typeof ORDER_STATUSES)[number],
      ReturnType<typeof Type.Integer>
    >,
    { ...closed, description: 'Number of orders by their present status.' },
  ),
  createdAt: Type.String({ format: 'date-time' }),
  closedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()]),
}

export const BatchSummaryBody = Type.Object(batchMembers, { ...closed, title: 'BatchSummary' })
type BatchSummaryBody = Static<typeof BatchSummaryBody>

export const BatchPage = pageOf(BatchSummaryBody)

const BatchOrderBody = Type.Object(
  {
    orderId: Type.String(),
    orderNumber: Type.String(),
    status: OrderStatusBody,
    revision: Type.Integer(),
    recipient: Type.String({ description: 'Company or name of the shipping address.' }),
    items: Type.Integer({ description: 'Number of items.' }),
    pieces: Type.Integer({ description: 'Number of pieces of all items.' }),
    printFiles: Type.Unsafe<(typeof ITEM_FILES_STATUSES)[number]>({
      ...{ type: 'string', enum: ITEM_FILES_STATUSES },
      description: '`ready`: every item has its print files. `failed`: an operator must retry those of an item.',
    }),
    addedAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'BatchOrder' },
)

export const BatchBody = Type.Object(
  { ...batchMembers, orders: Type.Array(BatchOrderBody, { description: 'In the order of production.' }) },
  { ...closed, title: 'Batch' },
)
export type BatchBody = Static<typeof BatchBody>

export function toBatchSummary({ id, name, counts, createdAt, closedAt }: Batch): BatchSummaryBody {
  const progress = Object.fromEntries(ORDER_STATUSES.map((status) => [status, counts[status] ?? 0]))
  return {
    ...{ id, name, status: closedAt === null ? 'open' : 'done' },
    orderCount: Object.values(counts).reduce((total, count) => total + count, 0),
    progress: progress as BatchSummaryBody['progress'],
    createdAt: createdAt.toISOString(),
    closedAt: closedAt?.toISOString() ?? null,
  }
}

export function toBatchBody(batch: Batch, orders: readonly BatchOrder[]): BatchBody {
  const toOrder = ({ addedAt, ...order }: BatchOrder) => ({ ...order, addedAt: addedAt.toISOString() })
  return { ...toBatchSummary(batch), orders: orders.map(toOrder) }
}
