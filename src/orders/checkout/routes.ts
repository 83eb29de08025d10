import { type Auth, requireScope } from '../../auth/index.ts'
import { readRecord } from '../../platform/concurrency/paced-reads.ts'
import { signalOfHangUp } from '../../platform/http/connections/hang-up.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../../platform/http/responses/location.ts'
import type { App } from '../../platform/http/server.ts'
import { externalReferenceProblems } from '../../platform/records/external-reference.ts'
import { type Storage, type StorageQuota, storageProblems, unpaidBoundFor } from '../../platform/storage/index.ts'
import { OrderBody } from '../order/bodies/schemas.ts'
import { type ActionDeps, actingUser, contextFor } from '../order/change/action-context.ts'
import type { ShopCharges } from '../pricing/charges.ts'
import { type TextsDeps, withCheckedTexts } from '../pricing/checked-texts.ts'
import { CHECKOUT_PROBLEMS, orderProblems, quoteProblems } from '../problems.ts'
import { admitAgreedPrices, recordAgreedPrices } from './admit-agreed-prices.ts'
import { createOrder } from './create-order.ts'
import { createQuote } from './create-quote.ts'
import { NewOrderBody, NewQuoteBody, QuoteBody, QuoteParams, readBasket, readSource, toQuoteBody } from './schemas.ts'
import { findQuote } from './store.ts'

export interface CheckoutDeps extends ActionDeps, TextsDeps, Pick<Auth, 'recordAdminAct'> {
  storage: Storage
  quota: Pick<StorageQuota, 'unpaid'>
  charges: ShopCharges
}

export function checkoutRoutes(app: App, deps: CheckoutDeps): void {
  const { clock, storage, quota, charges: shop } = deps

  app.post(
    '/quotes',
    {
      onRequest: requireScope('orders:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'createQuote',
        problems: [...CHECKOUT_PROBLEMS],
        tags: ['Orders'],
        summary: 'Create a quote',
        description:
          'Calculates the price of an order. The quote is valid for one order, for 30 minutes or until the first price lock of its designs ends. The service keeps the price to the minor unit even if prices, shipping or taxes change; another shipping method needs another quote. The texts in `items[].data` are checked: 422 `preflight_failed` names each text by `pointer` (`/items/0/data/name`) and its layer by `layer`. Warnings do not refuse a quote. `items[].agreedPrice` is for operators who act for a customer (`Platen-Customer`): shipping and taxes are computed from it, and the security events record it as `price_agreed`. The texts of one request can have 200 000 characters, each layer counting 50 more (422 `items_too_long`).',
        body: NewQuoteBody,
        response: { 201: QuoteBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const ownerId = principal.userId
      const unpaid = unpaidBoundFor(principal, quota)
      const basket = readBasket(request.body)
      admitAgreedPrices(request, basket.items)
      const actor = actingUser(principal, 'customer')
      const charges = await shop.chargesTo(basket.shippingAddress)
      return withCheckedTexts(deps, { ownerId, items: basket.items, signal: signalOfHangUp(reply) }, (texts) =>
        idempotently(deps, request, reply, async (trx) => {
          const quote = await createQuote(trx, basket, { ownerId, now: clock.now(), actor, texts, charges, unpaid })
          await recordAgreedPrices(deps, trx, request, { items: basket.items, quote: quote.id })
          return { status: 201, body: toQuoteBody(quote) }
        }),
      )
    },
  )

  app.get(
    '/quotes/:quoteId',
    {
      onRequest: requireScope('orders:read'),
      schema: {
        operationId: 'getQuote',
        tags: ['Orders'],
        summary: 'Read a quote',
        description:
          'Only the owner can read a quote. An expired quote can be read for a week after `expiresAt`, and so can a used one. `POST /orders` refuses both.',
        params: QuoteParams,
        response: { 200: QuoteBody },
      },
    },
    async (request) => {
      const key = { id: request.params.quoteId, ownerId: principalOf(request).userId }
      return readRecord(async () => {
        const quote = await findQuote(deps.db, key)
        if (quote === undefined) throw quoteProblems.quote_not_found()
        return toQuoteBody(quote)
      })
    },
  )

  app.post(
    '/orders',
    {
      onRequest: requireScope('orders:write'),
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createOrder',
        problems: [
          ...CHECKOUT_PROBLEMS,
          orderProblems.quote_not_found,
          orderProblems.quote_used,
          orderProblems.quote_expired,
          orderProblems.email_required,
          externalReferenceProblems.external_reference_taken,
          storageProblems.storage_unavailable,
        ],
        tags: ['Orders'],
        summary: 'Create an order',
        description:
          'Orders finalized designs, from a quote or directly. Without a quote the texts in `items[].data` are checked and agreed prices admitted as `POST /quotes` does. An order from a quote has the agreed prices of the quote. The timeline states each reason of an agreed price as `order.price_agreed`. If an item has texts of its own, the service renders print files for it; of the unpaid orders of one account it renders 200 items, and the others once they are paid.',
        body: NewOrderBody,
        response: { 201: OrderBody },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { userId } = principal
      const unpaid = unpaidBoundFor(principal, quota)
      const { metadata = {}, externalReference = null } = request.body
      const source = readSource(request.body)
      if ('items' in source) admitAgreedPrices(request, source.items)
      const from =
        'quoteId' in source ? source : { basket: source, charges: await shop.chargesTo(source.shippingAddress) }
      // The items of a quote were checked when the quote was created.
      const items = 'quoteId' in from ? [] : from.basket.items
      return withCheckedTexts(deps, { ownerId: userId, items, signal: signalOfHangUp(reply) }, (texts) =>
        idempotently(deps, request, reply, async (trx) => {
          const context = {
            ...contextFor(deps, actingUser(principal, 'customer')),
            storage,
            texts,
            unpaid,
            needsEmail: principal.kind === 'guest',
          }
          const body = await createOrder(trx, context, userId, { from, metadata, externalReference })
          await recordAgreedPrices(deps, trx, request, { items, order: body.id })
          return { status: 201, body, headers: locationOfNew(request, body) }
        }),
      )
    },
  )
}
