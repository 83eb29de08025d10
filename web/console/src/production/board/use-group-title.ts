import { useTexts } from '@platen/ui'
import { useShippingMethodName } from '../../orders/shipping-method-names.ts'
import { type Grouping, LATE, NO_DUE_TIME, type OrderGroup } from './groups.ts'

/** Returns what names a group of the board. */
export function useGroupTitle(grouping: Grouping): (group: OrderGroup) => string {
  const { text, formats } = useTexts()
  const shippingMethodOf = useShippingMethodName()
  return ({ id, orders: [first] }) => {
    if (grouping === 'shipping') return shippingMethodOf({ shippingMethod: id })
    if (grouping === 'product') {
      const item = first?.items.find(({ product }) => (product.id ?? product.name ?? '') === id)
      return item?.product.name ?? text('console.someProduct')
    }
    if (id === LATE) return text('console.late')
    if (id === NO_DUE_TIME || first?.dueAt == null) return text('consoleProduction.noDueDate')
    const days = [new Date(), new Date(Date.now() + 24 * 3600 * 1000)].map((day) => day.toDateString())
    if (id === days[0]) return text('consoleProduction.dueToday')
    if (id === days[1]) return text('consoleProduction.dueTomorrow')
    return formats.date(first.dueAt)
  }
}
