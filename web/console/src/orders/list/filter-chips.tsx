import { Button, Icon, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { nameOf } from '../../customers/name-of.ts'
import { customerQuery } from '../../customers/queries.ts'
import { productNamesQuery } from '../product-names.ts'
import { useShippingMethodName } from '../shipping-method-names.ts'
import { PAYMENT_STATUS, PAYMENT_STATUSES } from '../status.ts'
import type { Filter, ListState } from './use-list-state.ts'

const TITLES = {
  late: 'console.late',
  disputed: 'console.disputes',
  files: 'console.failedFiles',
  payment: 'console.payment',
  q: 'console.search',
  product: 'console.product',
  shipping: 'console.filterShippingMethod',
  customer: 'console.customer',
  country: 'console.country',
  from: 'console.fromDay',
  to: 'console.toDay',
} as const satisfies Partial<Record<Filter, MessageKey>>

/** The filters that are on or off. */
const SWITCHES: ReadonlySet<Filter> = new Set<Filter>(['late', 'disputed', 'files'])

/** The filters that apply now. A press removes one. */
export function FilterChips({ state }: { state: ListState }) {
  const { text } = useTexts()
  const shown = useShownValue(state.get('customer'))
  const names = (Object.keys(TITLES) as (keyof typeof TITLES)[]).filter((name) => state.get(name) !== '')
  if (names.length === 0) return null
  return (
    <ul className="chips" aria-label={text('console.activeFilters')}>
      {names.map((name) => {
        const title = text(TITLES[name])
        const value = SWITCHES.has(name) ? title : `${title}: ${shown(name, state.get(name))}`
        return (
          <li key={name}>
            <Button
              className="chip"
              aria-label={text('console.removeFilter', { filter: value })}
              onPress={() => state.change({ [name]: undefined })}
            >
              {value}
              <Icon name="close" size={14} />
            </Button>
          </li>
        )
      })}
    </ul>
  )
}

function useShownValue(customerId: string): (name: Filter, value: string) => string {
  const { text, formats, locale } = useTexts()
  const { data: products = [] } = useQuery(productNamesQuery())
  const shippingMethodOf = useShippingMethodName()
  const customer = useQuery({ ...customerQuery(customerId), enabled: customerId !== '' })
  // Some roles read orders, and no customers.
  const customerName = customer.data === undefined ? customer.error && customerId : nameOf(customer.data)
  return (name, value) => {
    if (name === 'payment') {
      const known = PAYMENT_STATUSES.find((status) => status === value)
      return known === undefined ? value : text(PAYMENT_STATUS[known].text)
    }
    if (name === 'customer') return customerName ?? '…'
    if (name === 'product') return products.find(({ id }) => id === value)?.text ?? '…'
    if (name === 'shipping') return shippingMethodOf({ shippingMethod: value })
    if (name === 'country') return /^[A-Z]{2}$/.test(value) ? (regionName(locale, value) ?? value) : value
    if (name === 'from' || name === 'to')
      return /^\d{4}-\d\d-\d\d$/.test(value) ? formats.date(`${value}T00:00:00`) : value
    return value
  }
}

const regionName = (locale: string, code: string): string | undefined =>
  new Intl.DisplayNames([locale], { type: 'region' }).of(code)
