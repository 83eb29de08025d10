import { CommandError } from '../../command-line/command-error.ts'
import type { Connection } from '../requests/connection.ts'
import { ApiError } from '../requests/problem.ts'
import { call } from '../requests/request.ts'
import type { ShopStep } from './recipes.ts'

interface Order {
  items: readonly { id: string; quantity: number }[]
  shipments: readonly { id: string }[]
}

type Action = (order: Order) => { path: string; body?: object }

const PARCEL = { carrier: 'Simulated carrier' }

/** The actions of an operator that have the same effect as the steps of the simulator. */
const ACTIONS: Readonly<Record<ShopStep, Action>> = {
  start_production: () => ({ path: 'start-production' }),
  hold: () => ({ path: 'hold', body: { reason: 'Is the shipping address complete?' } }),
  release: () => ({ path: 'release' }),
  ship: () => ({ path: 'shipments', body: PARCEL }),
  ship_part: ({ items: [item] }) => ({
    path: 'shipments',
    body: { ...PARCEL, items: [{ itemId: item?.id, quantity: Math.ceil((item?.quantity ?? 1) / 2) }] },
  }),
  deliver: ({ shipments: [shipment] }) => ({ path: `shipments/${shipment?.id}/deliver` }),
  return: ({ shipments: [shipment] }) => ({ path: `shipments/${shipment?.id}/return` }),
}

/** Does what the shop would do: with the simulator, or as an operator where the installation has none. */
export async function runShopStep(connection: Connection, orderId: string, step: ShopStep): Promise<void> {
  try {
    await call(connection, ['POST', `/dev/orders/${orderId}/advance`], { body: { step } })
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.code !== 'not_found') throw error
    await actAsOperator(connection, orderId, step)
  }
}

async function actAsOperator(connection: Connection, orderId: string, step: ShopStep): Promise<void> {
  const order = await call<Order>(connection, ['GET', `/orders/${orderId}`])
  const { path, body = {} } = ACTIONS[step](order)
  try {
    await call(connection, ['POST', `/orders/${orderId}/${path}`], { body })
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.status !== 403) throw error
    throw new CommandError(
      `This installation has no simulator, so the step "${step}" needs the API key of an operator: ${error.message}`,
    )
  }
}
