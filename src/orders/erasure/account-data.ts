import type { AccountData } from '../../auth/index.ts'
import { eachRow } from '../../platform/db/each-row.ts'
import { rewriteEvents } from '../../platform/outbox/index.ts'
import { cancelUnpaidSoon } from '../cancellation/cancel-unpaid.ts'
import { toQuoteBody } from '../checkout/schemas.ts'
import { deleteQuotesOf, listQuotes, type Quote } from '../checkout/store.ts'
import { ERASED, redactPostalAddress } from '../order/postal-address.ts'
import { type OrderBody, toOrderBody } from '../order/schemas.ts'
import { hasEnded } from '../order/state.ts'
import { listOrdersPage, type Order } from '../order/store.ts'
import { eraseOrderContent, keepsReason, lockErasableOrders, type OrderToErase } from './store.ts'

const PAGE = 20

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
    erase: async (trx, ownerId) => {
      const orders = await lockErasableOrders(trx, ownerId, { erasedName: ERASED })
      const ended = orders.filter(isErasable)
      for (const { id, shippingAddress } of ended)
        await eraseOrderContent(trx, id, redactPostalAddress(shippingAddress))
      await rewriteEvents(
        trx,
        ended.map(({ id }) => id),
        (data) => redactOrderBody(data as OrderBody),
      )
      if (orders.some(({ status }) => status === 'awaiting_payment')) await cancelUnpaidSoon(trx, ownerId)
      return ended.length === orders.length
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
function isErasable({ status, isInTransit }: OrderToErase): boolean {
  return hasEnded(status) || (status === 'shipped' && !isInTransit)
}

/** An order as an event tells it, without what identifies its customer. */
function redactOrderBody({ hold: _, ...order }: OrderBody): OrderBody {
  return {
    ...order,
    items: order.items.map(({ data: __, personalization: ___, ...item }) => item),
    shippingAddress: redactPostalAddress(order.shippingAddress),
    timeline: order.timeline.map(({ reason, ...entry }) =>
      reason !== undefined && keepsReason(entry) ? { ...entry, reason } : entry,
    ),
    metadata: {},
  }
}
