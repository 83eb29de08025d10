import { drawDueItemFiles } from '../../../src/orders/item-files/draw-item-files.ts'
import { createFairQueue } from '../../../src/orders/item-files/fair-queue.ts'
import type { TestResponse } from '../../harness.ts'
import { until } from '../../lib/until.ts'
import type { Stage } from './stage.ts'

const ADDRESS = {
  name: 'Ada Example',
  line1: 'Lindenstr. 12',
  city: 'Berlin',
  postalCode: '10969',
  country: 'DE',
  email: 'ada@example.com',
}

/** An order from the quote to a returned parcel, with every step that customers and operators take. */
export async function recordOrder(stage: Stage, designId: string): Promise<void> {
  const { service, call, customer, operator } = stage
  const token = customer.accessToken
  const items = [{ designId, quantity: 10, data: { name: 'Grace' } }]
  const basket = { items, shippingAddress: ADDRESS, shippingMethod: 'standard' }
  const quote = await call('createQuote', { token, body: basket })
  await call('getQuote', { token, params: { quoteId: quote.id } })
  const reference = { externalReference: 'web-1001', metadata: { channel: 'web' } }
  const order = await call('createOrder', { token, body: { quoteId: quote.id, ...reference } })
  const params = { orderId: order.id }
  await service.request('POST', `/orders/${order.id}/pay`, { token, body: { token: 'test_declined' } })
  await call('payOrder', { token, params, body: { token: 'test_ok' } })
  await drawFiles(stage)
  await recordItemFiles(stage, order)

  const asOperator = { token: operator.accessToken, params }
  const question = { reason: 'The carrier does not know this house number.', resolution: 'address' }
  await call('holdOrder', { ...asOperator, body: question })
  await call('listOrderMails', asOperator)
  await call('resolveHold', { token, params, body: { shippingAddress: { ...ADDRESS, line1: 'Lindenstr. 14' } } })
  const body = { reason: 'The paper is out of stock.', resolution: 'none' }
  await service.request('POST', `/orders/${order.id}/hold`, { token: operator.accessToken, body })
  await call('releaseOrder', asOperator)
  const note = { text: 'Print it on the new paper from shelf 4.' }
  const { id: noteId } = await call('addOrderNote', { ...asOperator, body: note })
  await call('deleteOrderNote', { ...asOperator, params: { ...params, noteId } })
  await service.request('POST', `/orders/${order.id}/notes`, { token: operator.accessToken, body: note })
  const corrected = { shippingAddress: { ...ADDRESS, line1: 'Lindenstr. 14', line2: 'Second floor' } }
  await call('changeOrder', { ...asOperator, body: corrected })
  await call('startProduction', asOperator)
  await call('changeOrdersInBulk', {
    token: operator.accessToken,
    body: { action: 'start_production', orders: [{ id: order.id }, { id: 'ord_01h455vb4pex5vsknk084sn02q' }] },
  })
  await recordBatch(stage, order)
  await recordShipments(stage, order)
  await call('refundOrder', {
    ...asOperator,
    body: { amount: { amount: 500, currency: 'EUR' }, reason: 'One card was bent.' },
  })
  await call('getOrder', { token, params })
  await call('listOrders', { token, query: 'limit=1&view=summary' })
  await call('listProductionOrders', { token: operator.accessToken, query: 'limit=1' })
  await call('getOrderStatistics', { token: operator.accessToken, query: 'days=2' })
  await call('getPickList', asOperator)
  const wanted = { format: 'zip', orderIds: [order.id] }
  await call('downloadPrintFiles', { token: operator.accessToken, body: wanted })
}

type Order = TestResponse['body']

async function recordItemFiles({ call, customer, operator }: Stage, order: Order): Promise<void> {
  const item = { orderId: order.id, itemId: order.items[0].id }
  const token = customer.accessToken
  await call('getOwnOrderItemFile', { token, params: { ...item, fileId: 'print' } })
  await call('getOrderItemFile', { token: operator.accessToken, params: { ...item, fileId: 'print' } })
  await call('drawOrderItemFilePage', {
    token: operator.accessToken,
    params: { ...item, fileId: 'print', page: '1' },
    query: 'width=600',
  })
  const wanted = { itemId: item.itemId, file: 'print', expiresInSeconds: 3_600 }
  const { url } = await call('createOrderLink', { token, params: { orderId: order.id }, body: wanted })
  await call('getLinkedOrderItemFile', {
    params: { ...item, fileId: 'print' },
    query: new URL(url).search.slice(1),
  })
}

/** A batch with an order that is removed again before the batch is closed. */
async function recordBatch({ call, operator }: Stage, { id: orderId }: Order): Promise<void> {
  const token = operator.accessToken
  const { id: batchId } = await call('createBatch', { token, body: { name: 'Monday, cards', orderIds: [orderId] } })
  const params = { batchId }
  await call('addOrdersToBatch', { token, params, body: { orderIds: [orderId] } })
  await call('getBatch', { token, params })
  await call('listBatches', { token, query: 'status=open' })
  await call('getBatchPickLists', { token, params })
  await call('removeOrderFromBatch', { token, params: { batchId, orderId } })
  await call('closeBatch', { token, params })
}

const SHIPMENT_FILE = (number: string) =>
  `order;carrier;tracking number\r\n${number};DHL;00340434161094042564\r\nPL-7KQ4-M2XD;;00340434161094042571\r\n`

async function recordShipments({ call, operator }: Stage, order: Order): Promise<void> {
  const asOperator = { token: operator.accessToken, params: { orderId: order.id } }
  const parcel = (trackingNumber: string) => ({
    ...{ carrier: 'DHL', trackingNumber },
    trackingUrl: `https://parcels.example/${trackingNumber}`,
  })
  const first = { ...parcel('00340434161094042557'), items: [{ itemId: order.items[0].id, quantity: 4 }] }
  const { id: shipmentId } = await call('shipOrder', { ...asOperator, body: first })
  await call('importShipments', {
    token: operator.accessToken,
    query: 'dryRun=true',
    body: new TextEncoder().encode(SHIPMENT_FILE(order.number)),
    headers: { 'content-type': 'text/csv' },
  })
  const { id: rest } = await call('shipOrder', { ...asOperator, body: parcel('00340434161094042564') })
  const tracking = { trackingNumber: '00340434161094042561', trackingUrl: null }
  await call('changeShipment', { ...asOperator, params: { orderId: order.id, shipmentId }, body: tracking })
  await call('deliverShipment', { ...asOperator, params: { orderId: order.id, shipmentId } })
  await call('deliverShipment', { ...asOperator, params: { orderId: order.id, shipmentId: rest } })
  const returned = { orderId: order.id, shipmentId: rest }
  await call('returnShipment', { ...asOperator, params: returned, body: { reason: 'Refused by the recipient.' } })
}

/** Orders that end otherwise: cancelled, simulated, or with files that could not be drawn. */
export async function recordOtherOrders(stage: Stage, designId: string): Promise<void> {
  const { service, call, customer, operator } = stage
  const token = customer.accessToken
  const place = async (): Promise<Order> => {
    const body = { items: [{ designId, quantity: 1, data: { name: 'Alan' } }], shippingAddress: ADDRESS }
    return (await service.request('POST', '/orders', { token, body })).body
  }
  const { id: cancelled } = await place()
  const paid = { method: 'manual', reference: 'Transfer of 2 March' }
  await call('recordPayment', { token: operator.accessToken, params: { orderId: cancelled }, body: paid })
  await call('getPickLists', { token: operator.accessToken })
  await call('cancelOrder', { token, params: { orderId: cancelled }, body: { reason: 'I chose the wrong paper.' } })
  if (stage.renderer !== undefined) await failFiles(stage, await place())
  const { id: simulated } = await place()
  await call('advanceTestOrder', { token, params: { orderId: simulated }, body: { step: 'pay' } })
}

/** Draws the print files of all paid orders, unless another node does so. */
async function drawFiles({ service }: Stage): Promise<void> {
  await drawDueItemFiles(service.services.orders, createFairQueue())
  await until('the files', async () => {
    const waiting = service.db.selectFrom('item_files').where('status', '=', 'pending')
    return (await waiting.select('order_id').execute()).length === 0
  })
}

/** Lets the files of an unpaid order fail, which no other node may draw before. */
async function failFiles(stage: Stage, failed: Order): Promise<void> {
  const { service, call, customer, operator } = stage
  const token = customer.accessToken
  // Leaves the state of processes that died while they rendered, after which the files fail.
  await service.db.updateTable('item_files').set({ attempts: 99 }).where('order_id', '=', failed.id).execute()
  await service.request('POST', `/orders/${failed.id}/pay`, { token, body: { token: 'test_ok' } })
  await drawFiles(stage)
  const item = { orderId: failed.id, itemId: failed.items[0].id }
  await call('retryOrderItemFiles', { token: operator.accessToken, params: item })
}
