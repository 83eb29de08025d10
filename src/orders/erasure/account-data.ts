import type { AccountData } from '../../auth/index.ts'
import { eachRow } from '../../platform/db/each-row.ts'
import { rewriteEvents } from '../../platform/outbox/index.ts'
import { toQuoteBody } from '../checkout/schemas.ts'
import { deleteQuotesOf, listQuotes, type Quote } from '../checkout/store.ts'
import { ERASED, redactAddress } from '../order/address.ts'
import { type OrderBody, toOrderBody } from '../order/schemas.ts'
import { hasEnded } from '../order/state.ts'
import { listOrdersPage, type Order } from '../order/store.ts'
import { cancelUnpaidSoon } from './cancel-unpaid.ts'
import { forgetOrder, keepsReason, lockOrdersToErase, type OrderToErase } from './store.ts'

const PAGE = 20

const ERASED_AT_ONCE = 50

/**
 * A person's orders. They stay, because money was taken; but where an order has ended, what identifies the person goes:
 * of the address remain country and region, by which tax was reckoned. What was not paid is cancelled. One that is under
 * way must still find its way, and is looked at again later.
 */
export function orderAccountData({ onlinePayment }: { onlinePayment: boolean }): AccountData {
  return {
    name: 'orders',
    list: async function* (db, ownerId) {
      const orders = eachRow<Order>(async (last) => {
        const page = await listOrdersPage(db, { ownerId, after: last?.id, limit: PAGE }, { withFiles: false })
        return page.rows
      })
      for await (const order of orders) yield toOrderBody(order, { operator: false, onlinePayment })
    },
    erase: async (trx, ownerId, _at, after = '') => {
      const limit = ERASED_AT_ONCE
      const orders = await lockOrdersToErase(trx, ownerId, { erasedName: ERASED, after, limit })
      const ended = orders.filter(isPast)
      for (const { id, shippingAddress } of ended) await forgetOrder(trx, id, redactAddress(shippingAddress))
      await rewriteEvents(
        trx,
        ended.map(({ id }) => id),
        (data) => redactOrderBody(data as OrderBody),
      )
      if (orders.some(({ status }) => status === 'awaiting_payment')) await cancelUnpaidSoon(trx, ownerId)
      const isComplete = ended.length === orders.length
      const next = orders[limit - 1]?.id
      return next === undefined ? isComplete : { isComplete, next }
    },
  }
}

/** A person's quotes, which are of use for half an hour. */
export const quoteAccountData: AccountData = {
  name: 'quotes',
  list: async function* (db, ownerId) {
    const quotes = eachRow<Quote>(
      async (last) => (await listQuotes(db, { ownerId, after: last?.id, limit: PAGE })).rows,
    )
    for await (const quote of quotes) yield { ...toQuoteBody(quote), shippingAddress: quote.shippingAddress }
  },
  erase: async (trx, ownerId) => {
    await deleteQuotesOf(trx, ownerId)
    return true
  },
}

/** An order of which every parcel came back stays `shipped`, and nothing more happens to it either. */
function isPast({ status, isUnderWay }: OrderToErase): boolean {
  return hasEnded(status) || (status === 'shipped' && !isUnderWay)
}

/** An order as an event tells it, without what identifies its customer. */
function redactOrderBody({ hold: _, ...order }: OrderBody): OrderBody {
  return {
    ...order,
    items: order.items.map(({ data: __, personalization: ___, ...item }) => item),
    shippingAddress: redactAddress(order.shippingAddress),
    timeline: order.timeline.map(({ reason, ...entry }) =>
      reason !== undefined && keepsReason(entry) ? { ...entry, reason } : entry,
    ),
    metadata: {},
  }
}
