import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const ORDER_IDS = {
  quote: 'quo',
  order: 'ord',
  orderItem: 'itm',
  payment: 'pay',
  refund: 'ref',
  shipment: 'shp',
} as const

export const { firstIdAt, isId, newId } = defineIds(ORDER_IDS)
