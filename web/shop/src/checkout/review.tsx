import { PostalAddressLines } from '@platen/app/postal-address'
import type { CartItem } from '@platen/app/session'
import type { Quote, QuoteItem } from '@platen/client'
import { Banner, Button, useTexts } from '@platen/ui'
import { useQueries } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { WorkingDays } from '../catalogue/working-days.tsx'
import { designQuery } from '../designs/queries.ts'
import { Totals } from '../orders/totals.tsx'
import { type AddressValues, addressOf } from './address/address-values.ts'
import { CheckoutProblem } from './checkout-problem.tsx'
import type { Checkout } from './use-checkout.ts'

export interface ReviewProps {
  checkout: Checkout
  quote: Quote
  values: AddressValues
}

/** What the customer is about to order, and what it costs. */
export function Review({ checkout, quote, values }: ReviewProps) {
  const { text } = useTexts()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const address = addressOf(values)
  return (
    <div className="review">
      <section className="card-section">
        <h2 ref={heading} tabIndex={-1}>
          {text('order.shippingAddress')}
        </h2>
        {address === undefined ? null : <PostalAddressLines address={address} />}
        <Button onPress={checkout.editAddress}>{text('order.changeAddress')}</Button>
      </section>
      <ShippingChoice
        quote={quote}
        chosen={checkout.method}
        isBusy={checkout.isQuoting}
        onChoose={checkout.chooseMethod}
      />
      <section className="card-section">
        <h2>{text('order.yourOrder')}</h2>
        <ItemList items={checkout.items} quoted={quote.items} />
        <Totals amounts={quote.amounts} taxIncluded={quote.taxIncluded} />
      </section>
      <Renewed checkout={checkout} quote={quote} />
      <CheckoutProblem checkout={checkout} />
      <Button
        look="primary"
        className="place-order"
        isPending={checkout.isOrdering || checkout.isQuoting}
        onPress={checkout.place}
      >
        {text('order.placeOrder')}
      </Button>
    </div>
  )
}

/** Says that the earlier quote had expired. The customer orders again, knowing the present total. */
function Renewed({ checkout: { replaced }, quote }: Pick<ReviewProps, 'checkout' | 'quote'>) {
  const { text, formats } = useTexts()
  if (replaced === undefined || replaced.id === quote.id) return null
  const [before, now] = [formats.money(replaced.amounts.total), formats.money(quote.amounts.total)]
  return (
    <Banner tone="warning" isLive>
      {before === now ? text('order.quoteRenewed') : text('order.quoteChanged', { before, now })}
    </Banner>
  )
}

interface ShippingChoiceProps {
  quote: Quote
  chosen: string | undefined
  isBusy: boolean
  onChoose(method: string): void
}

function ShippingChoice({ quote, chosen, isBusy, onChoose }: ShippingChoiceProps) {
  const { text, formats } = useTexts()
  return (
    <fieldset className="card-section choices" aria-busy={isBusy}>
      <legend>{text('order.shippingMethod')}</legend>
      {quote.shippingMethods.map((method) => (
        <label key={method.id} className="choice">
          <input
            type="radio"
            name="shippingMethod"
            value={method.id}
            checked={method.id === chosen}
            onChange={() => onChoose(method.id)}
          />
          <span className="choice-text">
            <span>{method.name}</span>
            <WorkingDays method={method} />
          </span>
          <span>{formats.money(method.price)}</span>
        </label>
      ))}
    </fieldset>
  )
}

function ItemList({ items, quoted }: { items: readonly CartItem[]; quoted: readonly QuoteItem[] }) {
  const { text, formats } = useTexts()
  const designs = useQueries({ queries: quoted.map(({ designId }) => designQuery(designId)) })
  return (
    <ul className="bill">
      {quoted.map((item, index) => (
        <li key={items[index]?.id ?? index}>
          <span>
            {text('order.timesName', {
              count: item.quantity,
              name: designs[index]?.data?.name ?? text('order.someDesign'),
            })}
            {item.data === undefined ? null : <span className="note">{Object.values(item.data).join(' · ')}</span>}
          </span>
          <span>{formats.money(item.total)}</span>
        </li>
      ))}
    </ul>
  )
}
