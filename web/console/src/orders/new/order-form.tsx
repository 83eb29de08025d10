import { Loading } from '@platen/app/frame'
import type { Customer, ListedDesign, Order, OwnUser } from '@platen/client'
import { Banner, Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { RequiredNote } from '../../parts/form/required-note.tsx'
import { Section } from '../../parts/page/section.tsx'
import { PostalAddressFields } from './address-fields.tsx'
import { type AddressFields, addressFieldsOf, EMPTY_ADDRESS, toBasket } from './basket/basket.ts'
import { LineFields } from './basket/line-fields.tsx'
import { emptyLine, type Line, linesOf, linesOfAll, withLine } from './basket/lines.ts'
import { newOrderProblemText } from './problem-text.ts'
import { AddProductDialog } from './product/add-product-dialog.tsx'
import { designsOfQuery, productsOnSaleQuery } from './queries.ts'
import { QuoteSection } from './quote-section.tsx'
import { useNewOrder } from './use-new-order.ts'

export interface OrderFormProps {
  customer: Customer
  user: OwnUser
  /** The order that is to be placed again. */
  again: Order | undefined
}

/** What is ordered for a customer and where it goes. The total is shown before the order is placed. */
export function OrderForm({ customer, user, again }: OrderFormProps) {
  const texts = useTexts()
  const [wanted] = useState(() => again?.items.map(({ designId }) => designId) ?? [])
  const designs = useQuery(designsOfQuery(customer.id, wanted))
  if (designs.data === undefined && designs.error !== null) {
    return <Banner tone="danger">{newOrderProblemText(texts, designs.error)}</Banner>
  }
  if (designs.data === undefined) return <Loading />
  return <FilledForm customer={customer} user={user} again={again} designs={designs.data} />
}

function FilledForm({ customer, user, again, designs }: OrderFormProps & { designs: readonly ListedDesign[] }) {
  const texts = useTexts()
  const { text } = texts
  const mayAgreePrices = mayUse(user, 'prices:write')
  const [lines, setLines] = useState(() => (again === undefined ? [] : linesOf(again, mayAgreePrices)))
  const [address, setAddress] = useState(() => firstAddress(customer, again))
  const [isAdding, setIsAdding] = useState(false)
  const { quote, place } = useNewOrder(customer.id)
  const shown = linesOfAll(designs, lines)
  const basket = toBasket(designs, shown, address)
  const error = place.error ?? quote.error
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    quote.mutate(basket)
  }
  const changeLine = (line: Line): void => {
    quote.reset()
    setLines((before) => withLine(before, line))
  }
  return (
    <div className="columns">
      {/* A quote is for what was entered before it, so each change ends it. */}
      <form className="column form" onSubmit={submit} onChange={quote.reset}>
        <Section
          title={text('console.items')}
          action={
            mayUse(user, 'designs:write') ? (
              <Button onPress={() => setIsAdding(true)}>{text('consoleNewOrder.addProduct')}</Button>
            ) : null
          }
        >
          <LeftOut again={again} designs={designs} />
          <Lines designs={designs} lines={shown} mayAgreePrices={mayAgreePrices} onChange={changeLine} />
        </Section>
        <Section title={text('consoleNewOrder.postalAddress')}>
          <PostalAddressFields value={address} onChange={setAddress} />
        </Section>
        <RequiredNote />
        <Button type="submit" isPending={quote.isPending} isDisabled={basket.items.length === 0}>
          {text('consoleNewOrder.calculate')}
        </Button>
      </form>
      <div className="column new-total">
        {error === null ? null : (
          <Banner tone="danger" isLive>
            {newOrderProblemText(texts, error)}
          </Banner>
        )}
        {quote.data === undefined ? null : (
          <QuoteSection
            quote={quote.data}
            isPlacing={place.isPending || quote.isPending}
            onChooseMethod={(shippingMethod) => quote.mutate({ ...basket, shippingMethod })}
            onPlace={() => quote.data !== undefined && place.mutate(quote.data.id)}
          />
        )}
      </div>
      {isAdding ? (
        <AddProductDialog
          customerId={customer.id}
          onClose={() => setIsAdding(false)}
          onDone={(designId) => {
            setIsAdding(false)
            changeLine({ ...emptyLine(designId), quantity: 1 })
          }}
        />
      ) : null}
    </div>
  )
}

const firstAddress = ({ name, email }: Customer, again: Order | undefined): AddressFields =>
  again === undefined
    ? { ...EMPTY_ADDRESS, name: name ?? '', email: email ?? '' }
    : addressFieldsOf(again.shippingAddress)

interface LinesProps {
  designs: readonly ListedDesign[]
  lines: readonly Line[]
  mayAgreePrices: boolean
  onChange(line: Line): void
}

function Lines({ designs, lines, mayAgreePrices, onChange }: LinesProps) {
  const { text } = useTexts()
  const products = useQuery(productsOnSaleQuery()).data
  if (designs.length === 0) return <p className="note">{text('consoleNewOrder.noDesigns')}</p>
  return lines.map((line) => {
    const design = designs.find(({ id }) => id === line.designId)
    return design === undefined ? null : (
      <LineFields
        key={line.key}
        design={design}
        product={products?.find(({ id }) => id === design.productId)}
        line={line}
        mayAgreePrices={mayAgreePrices}
        onChange={onChange}
      />
    )
  })
}

/** Names what the order had and the new one cannot have. */
function LeftOut({ again, designs }: { again: Order | undefined; designs: readonly { id: string }[] }) {
  const { text } = useTexts()
  const missing = again?.items.filter(({ designId }) => !designs.some(({ id }) => id === designId)) ?? []
  if (missing.length === 0) return null
  const names = new Set(missing.map(({ design, product }) => design.name ?? product.name ?? ''))
  return <Banner tone="warning">{text('consoleNewOrder.leftOut', { names: [...names].join(', ') })}</Banner>
}
