import { type AccountData, erasedBatch } from '../../auth/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { eachRow } from '../../platform/db/reading/each-row.ts'
import { withdrawMessagesAbout } from '../../platform/messages/mail.ts'
import { forgetNewcomer } from '../../platform/newcomers.ts'
import { rewriteEvents } from '../../platform/outbox/index.ts'
import { countRecordsOf, moveSomeRecords } from '../../platform/records/move-records.ts'
import { cancelUnpaidSoon } from '../cancellation/cancel-unpaid.ts'
import { toQuoteBody } from '../checkout/schemas.ts'
import { deleteSomeQuotesOf, listQuotes, type Quote } from '../checkout/store.ts'
import { type OrderBody, toOrderBody } from '../order/bodies/schemas.ts'
import { ERASED, redactPostalAddress } from '../order/postal-address.ts'
import { hasEnded } from '../order/state.ts'
import { listOrdersPage, type Order } from '../order/store.ts'
import {
  eraseOrderContent,
  hasBought,
  keepsReason,
  lockErasableOrders,
  moveQuotes,
  type OrderToErase,
} from './store.ts'

const PAGE = 20

/** Few, because each order can have some megabytes of events, and all readers of events wait for the transaction. */
const ERASED_AT_ONCE = 5
const QUOTES_AT_ONCE = 500

/**
 * The orders of an account. The shop retains them as records of sale. Erasure removes personal data from orders whose
 * status can no longer change; country and region of the postal address stay, because the tax depends on them. Unpaid
 * orders are cancelled. Orders in delivery still need the postal address, so they are erased later.
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
      const orders = await lockErasableOrders(trx, ownerId, { erasedName: ERASED, after, limit })
      const ended = orders.filter(isErasable)
      const endedIds = ended.map(({ id }) => id)
      // The events come first: an order without content is not found again.
      const areEventsErased = await rewriteEvents(trx, endedIds, (data) => redactOrderBody(data as OrderBody))
      if (!areEventsErased) return { isComplete: true, next: after }
      for (const { id, shippingAddress } of ended)
        await eraseOrderContent(trx, id, redactPostalAddress(shippingAddress))
      if (orders.some(({ status }) => status === 'awaiting_payment')) await cancelUnpaidSoon(trx, { ownerId })
      const ids = orders.map(({ id }) => id)
      await withdrawMessagesAbout(trx, ids)
      return erasedBatch(ids, { limit, isComplete: ended.length === orders.length })
    },
    rewritesEvents: true,
    move: moveOrders,
    countLeft: (trx, ownerId) => countRecordsOf(trx, 'orders', ownerId),
    moveMore: moveOrders,
  }
}

async function moveOrders(trx: Trx, from: string, to: string): Promise<number> {
  const moved = await moveSomeRecords(trx, 'orders', { from, to })
  if (moved > 0 && (await hasBought(trx, to))) await forgetNewcomer(trx, to)
  return moved
}

export const quoteAccountData: AccountData = {
  name: 'quotes',
  list: async function* (db, ownerId) {
    const quotes = eachRow<Quote>(
      async (last) => (await listQuotes(db, { ownerId, after: last?.id, limit: PAGE })).rows,
    )
    for await (const quote of quotes) yield { ...toQuoteBody(quote), shippingAddress: quote.shippingAddress }
  },
  erase: async (trx, ownerId) =>
    erasedBatch(await deleteSomeQuotesOf(trx, ownerId, QUOTES_AT_ONCE), { limit: QUOTES_AT_ONCE }),
  move: (trx, from, to) => moveQuotes(trx, from, to),
}

/**
 * Whether the personal data of an order can be erased. If every parcel came back, the order stays `shipped`, but its
 * status can no longer change.
 */
function isErasable({ status, isInTransit }: OrderToErase): boolean {
  return hasEnded(status) || (status === 'shipped' && !isInTransit)
}

function redactOrderBody({ hold: _, ...order }: OrderBody): OrderBody {
  return {
    ...order,
    items: order.items.map(({ data: __, personalization: ___, ...item }) => ({
      ...item,
      design: { id: item.designId, name: null },
    })),
    shippingAddress: redactPostalAddress(order.shippingAddress),
    timeline: order.timeline.map(({ reason, ...entry }) =>
      reason !== undefined && keepsReason(entry) ? { ...entry, reason } : entry,
    ),
    metadata: {},
    externalReference: null,
  }
}
