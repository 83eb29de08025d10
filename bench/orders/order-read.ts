import { call } from '../../scripts/lib/client.ts'
import type { Subject } from '../lib/subject.ts'
import { againstBareRead } from '../reads/against-bare-read.ts'
import { SHIPPING_ADDRESS } from './basket.ts'
import { finalizedPostcards } from './finalized.ts'

/** The number of orders, which is the size of a page. */
const ORDERS = 20

/** Compares authenticated reads of an order, and of a page of orders, with a server that sends the same bytes. */
export async function benchOrderRead(subject: Subject): Promise<void> {
  const { base, token } = subject
  const [designId] = await finalizedPostcards(subject, 1)
  const json = { items: [{ designId, quantity: 100 }], shippingAddress: SHIPPING_ADDRESS }
  let orderId = ''
  for (let made = 0; made < ORDERS; made += 1) {
    orderId = (await call('POST', `${base}/orders`, { token, json })).body.id
  }
  await againstBareRead(subject, { figure: 'read an order', path: `/orders/${orderId}`, aim: 0.7 })
  await againstBareRead(subject, { figure: 'list orders, a page of 20', path: '/orders', aim: 0.7 })
}
