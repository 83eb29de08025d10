import type { Order, OrderItem } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Section } from '../../../parts/page/section.tsx'
import { shippedOf } from '../../shipped.ts'
import { ItemFiles } from './item-files.tsx'
import { ItemPictures } from './item-pictures.tsx'
import { ItemPreflight } from './item-preflight.tsx'

interface ItemsSectionProps {
  order: Order
  /** Whether pages of the print files are beside the previews. */
  withPrintFiles?: boolean
}

/** What is to be made, each item with its pictures and its print files. */
export function ItemsSection({ order, withPrintFiles = false }: ItemsSectionProps) {
  const { text } = useTexts()
  return (
    <Section title={text('console.items')}>
      <ul className="items">
        {order.items.map((item) => (
          <Item key={item.id} order={order} item={item} withPrintFile={withPrintFiles} />
        ))}
      </ul>
    </Section>
  )
}

function Item({ order, item, withPrintFile }: { order: Order; item: OrderItem; withPrintFile: boolean }) {
  const { text, formats } = useTexts()
  const product = item.product.name ?? text('console.someProduct')
  const options = [...Object.values(item.variant.options ?? {}), item.variant.sku ?? ''].filter(Boolean)
  const shipped = shippedOf(order, item.id)
  return (
    <li className="item">
      <ItemPictures order={order} item={item} withPrintFile={withPrintFile} />
      <div className="item-facts">
        <h3>
          {formats.number(item.quantity)} × {product}
        </h3>
        <p className="note">{options.join(' · ')}</p>
        <p className="note">{item.design.name}</p>
        {shipped === 0 || shipped === item.quantity ? null : (
          <p className="note">{text('console.shippedPieces', { shipped, quantity: item.quantity })}</p>
        )}
        <ItemTexts data={item.data} />
        <ItemPreflight report={item.preflight} />
        <ItemFiles order={order} item={item} />
      </div>
      <p className="item-total">
        {formats.money(item.total)}
        <span className="note">{text('console.priceEach', { price: formats.money(item.unitPrice) })}</span>
        <AgreedPrice agreed={item.agreedPrice} />
      </p>
    </li>
  )
}

/** What the price would have been, and why it is another. */
function AgreedPrice({ agreed }: { agreed: OrderItem['agreedPrice'] | undefined }) {
  const { text, formats } = useTexts()
  if (agreed === undefined) return null
  const price = formats.money(agreed.listUnitPrice)
  return <span className="note">{text('console.agreedPrice', { price, reason: agreed.reason })}</span>
}

/** The values of the placeholders of the design. */
function ItemTexts({ data = {} }: { data: OrderItem['data'] | undefined }) {
  const entries = Object.entries(data)
  if (entries.length === 0) return null
  return (
    <dl className="item-texts">
      {entries.map(([placeholder, value]) => (
        <div key={placeholder}>
          <dt>{placeholder}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
