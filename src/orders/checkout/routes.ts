import { Type } from 'typebox'
import { requireScope } from '../../auth/index.ts'
import { publicRoute } from '../../platform/http/guard.ts'
import { idempotently } from '../../platform/http/idempotency.ts'
import { principalOf } from '../../platform/http/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { contextFor, type OrderDeps } from '../context.ts'
import { OrderBody, toOrderBody } from '../order/schemas.ts'
import { withCheckedTexts } from '../pricing/checked-texts.ts'
import { shippingMethodsIn } from '../pricing/totals.ts'
import { createOrder } from './create-order.ts'
import { createQuote } from './create-quote.ts'
import {
  NewOrderBody,
  NewQuoteBody,
  QuoteBody,
  readSource,
  ShippingMethodBody,
  toQuoteBody,
  toShippingMethodBodies,
} from './schemas.ts'

const closed = { additionalProperties: false } as const

/** What comes before an order, and making one. */
export function checkoutRoutes(app: App, deps: OrderDeps): void {
  const { clock, storage } = deps

  app.get(
    '/shipping-methods',
    {
      onRequest: publicRoute,
      schema: {
        operationId: 'listShippingMethods',
        tags: ['Orders'],
        summary: 'How parcels can be sent, and for how much',
        querystring: Type.Object(
          { currency: Type.String({ pattern: '^[A-Z]{3}$', default: 'EUR', description: 'ISO 4217 code.' }) },
          closed,
        ),
        response: { 200: Type.Object({ data: Type.Array(ShippingMethodBody), nextCursor: Type.Null() }, closed) },
      },
    },
    async ({ query: { currency } }) => ({
      data: toShippingMethodBodies(shippingMethodsIn(currency), currency),
      nextCursor: null,
    }),
  )

  app.post(
    '/quotes',
    {
      onRequest: requireScope('orders:write'),
      schema: {
        operationId: 'createQuote',
        tags: ['Orders'],
        summary: 'What an order would cost, held for 30 minutes',
        body: NewQuoteBody,
        response: { 201: QuoteBody },
      },
    },
    async (request, reply) => {
      const ownerId = principalOf(request).userId
      const { items } = request.body
      return withCheckedTexts(deps, { ownerId, items }, (texts) =>
        idempotently(deps, request, reply, async (trx) => {
          const quote = await createQuote(trx, request.body, { ownerId, now: clock.now(), texts })
          return { status: 201, body: toQuoteBody(quote) }
        }),
      )
    },
  )

  app.post(
    '/orders',
    {
      onRequest: requireScope('orders:write'),
      schema: {
        operationId: 'createOrder',
        tags: ['Orders'],
        summary: 'Order finalized designs, from a quote or directly',
        body: NewOrderBody,
        response: { 201: OrderBody },
      },
    },
    async (request, reply) => {
      const { userId } = principalOf(request)
      const { metadata = {} } = request.body
      const from = readSource(request.body)
      // Those of a quote were checked when it was made.
      const items = 'quoteId' in from ? [] : from.items
      return withCheckedTexts(deps, { ownerId: userId, items }, (texts) =>
        idempotently(deps, request, reply, async (trx) => {
          const context = { ...contextFor(deps, { by: 'customer', userId }), storage, texts }
          const order = await createOrder(trx, context, userId, { from, metadata })
          const body = toOrderBody(order, { operator: false, onlinePayment: context.onlinePayment })
          return { status: 201, body }
        }),
      )
    },
  )
}
