import type { Trx } from '../../platform/db/index.ts'
import type { Address } from '../order/address.ts'

export async function setShippingAddress(trx: Trx, orderId: string, address: Address): Promise<void> {
  const set = { shipping_address: JSON.stringify(address) }
  await trx.updateTable('orders').set(set).where('id', '=', orderId).execute()
}

export async function setHoldAnswered(trx: Trx, orderId: string, at: Date): Promise<void> {
  await trx.updateTable('orders').set({ hold_answered_at: at }).where('id', '=', orderId).execute()
}
