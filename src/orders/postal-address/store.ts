import type { Trx } from '../../platform/db/index.ts'
import type { PostalAddress } from '../order/postal-address.ts'

export async function setShippingAddress(trx: Trx, orderId: string, address: PostalAddress): Promise<void> {
  const set = { shipping_address: JSON.stringify(address) }
  await trx.updateTable('orders').set(set).where('id', '=', orderId).execute()
}
