import { type Static, Type } from 'typebox'
import { ORDER_STATUSES, type OrderStatus } from '../order/state.ts'

const closed = { additionalProperties: false } as const

/** The statuses of orders that wait for the customer or the shop. */
export const OPEN_STATUSES: readonly OrderStatus[] = ORDER_STATUSES.filter(
  (status) => !['shipped', 'delivered', 'cancelled'].includes(status),
)

export const StatisticsQuery = Type.Object(
  {
    days: Type.Integer({
      minimum: 1,
      maximum: 366,
      default: 30,
      description: 'How many days, of which today is the last one.',
    }),
    timeZone: Type.String({
      maxLength: 64,
      pattern: '^[A-Za-z][A-Za-z0-9_+-]*(?:/[A-Za-z0-9_+-]+)*$',
      default: 'UTC',
      description: 'Time zone in which days begin, by its IANA name, such as `Europe/Berlin`.',
    }),
  },
  closed,
)

/** So that a shop with many late orders reads no more of them than a page states. */
export const MOST_LATE = 1_000

const figures = {
  orders: Type.Integer({ description: 'Orders that were placed.' }),
  orderedAmount: Type.Integer({ description: 'Sum of their totals in minor units, paid or not.' }),
  capturedAmount: Type.Integer({ description: 'Payments that arrived, in minor units, whenever they were ordered.' }),
  refundedAmount: Type.Integer({ description: 'Refunds that succeeded, in minor units.' }),
}

const CurrencyFigures = Type.Object(
  {
    currency: Type.String(),
    ...figures,
    days: Type.Array(
      Type.Object({ day: Type.String({ format: 'date' }), ...figures }, { ...closed, title: 'DayFigures' }),
      { description: 'Every day of the period, oldest first.' },
    ),
    hours: Type.Optional(
      Type.Array(
        Type.Object({ hour: Type.String({ format: 'date-time' }), ...figures }, { ...closed, title: 'HourFigures' }),
        {
          description:
            'Only with `days=1`: every hour of the day, oldest first, by its beginning. Days on which clocks change have 23 or 25.',
        },
      ),
    ),
  },
  { ...closed, title: 'CurrencyFigures' },
)
export type CurrencyFigures = Static<typeof CurrencyFigures>

const FailingEndpointBody = Type.Object(
  {
    id: Type.String(),
    host: Type.String({ description: 'Host of its URL. The rest can contain a secret.' }),
    description: Type.Union([Type.String(), Type.Null()]),
    owner: Type.Object(
      { userId: Type.String(), name: Type.Union([Type.String(), Type.Null()]), email: Type.String() },
      { ...closed, description: 'The member of staff who can read the endpoint and its deliveries.' },
    ),
    failedDeliveries: Type.Integer({
      description: 'Of this endpoint, in the last 7 days. 1000 means as many or more.',
    }),
  },
  { ...closed, title: 'FailingEndpoint' },
)
export type FailingEndpointBody = Static<typeof FailingEndpointBody>

export const OrderStatisticsBody = Type.Object(
  {
    from: Type.String({ format: 'date-time' }),
    to: Type.String({ format: 'date-time' }),
    timeZone: Type.String(),
    openOrders: Type.Record(Type.String(), Type.Integer(), {
      description: `Number of orders in each status that waits for the customer or the shop: ${OPEN_STATUSES.join(', ')}.`,
    }),
    ordersByStatus: Type.Record(Type.String(), Type.Integer(), { description: 'Number of orders in each status.' }),
    lateOrders: Type.Integer({
      description: `Number of orders that are to be produced or shipped and whose \`dueAt\` has passed. ${MOST_LATE} means as many or more.`,
    }),
    failedDeliveries: Type.Integer({
      description:
        'Number of webhook deliveries of the last 7 days to endpoints of staff that have failed and are not repeated. 1000 means as many or more.',
    }),
    failingEndpoints: Type.Optional(
      Type.Array(FailingEndpointBody, {
        description:
          'The endpoints of staff with failed deliveries of the last 7 days, oldest first, 20 at most. Only for callers with `webhooks:read`.',
      }),
    ),
    currencies: Type.Array(CurrencyFigures, {
      description: 'A row for each currency with an order, a payment or a refund in the period.',
    }),
  },
  { ...closed, title: 'OrderStatistics' },
)
export type OrderStatisticsBody = Static<typeof OrderStatisticsBody>
