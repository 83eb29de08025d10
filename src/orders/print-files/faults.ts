import { Type } from 'typebox'
import type { ProblemDetail } from '../../platform/problem.ts'

/** Why an order cannot be in a download, or items of it. */
const FAULTS = {
  order_not_found: 'No order has this id.',
  order_erased: 'The account of the customer was deleted, and the print files with it.',
  order_not_produced: 'The order is unpaid, on hold or cancelled. It must not be printed.',
  item_files_pending: 'Print files are still being rendered.',
  item_files_failed: 'Print files could not be rendered. An operator must retry them.',
  item_files_missing: 'Print files are missing or damaged.',
  printing_condition_differs: 'The print files are for another printing condition than the first one.',
} as const
export type FaultCode = keyof typeof FAULTS

/** The members of an entry of `errors`, besides those of every problem. */
export const faultMembers = {
  errors: Type.Array(
    Type.Object({
      code: Type.Unsafe<FaultCode>({ type: 'string', enum: Object.keys(FAULTS) }),
      pointer: Type.String(),
      detail: Type.String(),
      orderId: Type.String(),
      orderNumber: Type.Union([Type.String(), Type.Null()]),
      itemIds: Type.Array(Type.String(), { description: 'The items at fault. Empty: the whole order.' }),
    }),
    { description: 'One entry for each order and reason.' },
  ),
}

export interface Fault {
  code: FaultCode
  orderId: string
  orderNumber?: string | undefined
  /** Without an item, the whole order is at fault. */
  itemId?: string
}

export interface Faults {
  add(fault: Fault): void
  /** One error for each order and reason, in the order of the request. */
  toErrors(): ProblemDetail[]
}

export function createFaults(orderIds: readonly string[]): Faults {
  const found = new Map<string, Omit<Fault, 'itemId'> & { itemIds: string[] }>()
  return {
    add: ({ itemId, ...fault }) => {
      const key = `${fault.orderId} ${fault.code}`
      const entry = found.get(key) ?? { ...fault, itemIds: [] }
      found.set(key, entry)
      if (itemId !== undefined) entry.itemIds.push(itemId)
    },
    toErrors: () => {
      const places = new Map(orderIds.map((id, index) => [id, index]))
      const placeOf = (id: string) => places.get(id) ?? 0
      const sorted = Array.from(found.values()).sort((one, other) => placeOf(one.orderId) - placeOf(other.orderId))
      return sorted.map(({ code, orderId, orderNumber = null, itemIds }) => ({
        ...{ code, pointer: `/orderIds/${placeOf(orderId)}`, detail: FAULTS[code] },
        ...{ orderId, orderNumber, itemIds },
      }))
    },
  }
}
