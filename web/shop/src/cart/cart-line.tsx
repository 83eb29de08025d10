import { type CartItem, MAX_QUANTITY } from '@platen/app/session'
import type { Design } from '@platen/client'
import { Button, Icon, NumberField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { productQuery } from '../catalogue/queries.ts'
import { Preview } from '../designs/preview.tsx'
import type { Condition } from './condition.ts'
import { LineProblem } from './line-problem.tsx'
import { LineTexts } from './line-texts.tsx'
import { clearRefusal, type Refusal } from './refusals.ts'
import { useCart } from './use-cart.ts'

const PREVIEW_WIDTH = 320

export interface CartLineProps {
  item: CartItem
  design: Design | undefined
  condition: Condition
  refusal: Refusal | undefined
  onRemove(name: string): void
}

export function CartLine({ item, design, condition, refusal, onRemove }: CartLineProps) {
  const { text, formats } = useTexts()
  const cart = useCart()
  const name = design?.name ?? text(condition === 'loading' ? 'common.loading' : 'order.someDesign')
  return (
    <li className="line">
      <div className="line-picture">{design === undefined ? null : <Picture design={design} />}</div>
      <div className="line-facts">
        <h2 className="line-name">
          {design === undefined ? name : <Link href={`/designs/${design.id}/finished`}>{name}</Link>}
        </h2>
        {design === undefined ? null : <ProductName design={design} />}
        {design?.finalization == null ? null : (
          <p className="note">
            {text('order.priceEach', { price: formats.money(unitPrice(design.finalization.price, item.quantity)) })}
          </p>
        )}
      </div>
      <div className="line-amount">
        <NumberField
          label={text('shop.quantity')}
          value={item.quantity}
          onChange={(quantity) => {
            if (Number.isNaN(quantity)) return
            clearRefusal(item.id)
            cart.change(item.id, { quantity })
          }}
          // Enter confirms the number, and would otherwise lead to the checkout.
          onKeyDown={(event) => {
            if (event.key === 'Enter') event.preventDefault()
          }}
          minValue={1}
          maxValue={MAX_QUANTITY}
          step={1}
        />
        <Button look="quiet" onPress={() => onRemove(name)} aria-label={text('order.removeItem', { name })}>
          <Icon name="trash" size={20} />
          {text('order.remove')}
        </Button>
      </div>
      <div className="line-more">
        <LineProblem item={item} condition={condition} refusal={refusal} />
        {condition === 'ready' && design !== undefined ? (
          <LineTexts item={item} design={design} refusal={refusal} />
        ) : null}
      </div>
    </li>
  )
}

function Picture({ design }: { design: Design }) {
  const { text } = useTexts()
  const { data: product } = useQuery(productQuery(design.productId))
  const area = product?.printAreas[0]
  if (area === undefined) return null
  const label = text('shop.previewOf', { name: design.name, area: area.name })
  return <Preview design={design} area={area} width={PREVIEW_WIDTH} label={label} />
}

function ProductName({ design }: { design: Design }) {
  const { data: product } = useQuery(productQuery(design.productId))
  const options = product?.variants.find(({ id }) => id === design.variantId)?.options ?? {}
  return <p className="note">{[product?.name, ...Object.values(options)].filter(Boolean).join(' · ')}</p>
}

/** The service has stated a price for each quantity when it finalized the design. */
function unitPrice({ priceTiers, currency }: NonNullable<Design['finalization']>['price'], quantity: number) {
  const tier = priceTiers.findLast(({ minQuantity }) => minQuantity <= quantity) ?? priceTiers[0]
  return { amount: tier?.unitAmount ?? 0, currency }
}
