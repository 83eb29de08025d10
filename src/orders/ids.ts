import { defineIds } from '../platform/ids.ts'

export const { prefixes, firstIdAt, isId, newId } = defineIds({
  quote: 'quo',
  order: 'ord',
  orderItem: 'itm',
  payment: 'pay',
  refund: 'ref',
  shipment: 'shp',
  note: 'nte',
  batch: 'bat',
})
