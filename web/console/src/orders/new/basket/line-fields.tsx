import type { ListedDesign, Product } from '@platen/client'
import { minorDigits, NumberField, TextField, type Texts, useTexts } from '@platen/ui'
import { DecimalField } from '../../../parts/form/decimal-field.tsx'
import { inMinorUnits } from '../../../parts/form/money.ts'
import { currencyOf } from './basket.ts'
import type { Line } from './lines.ts'

export interface LineFieldsProps {
  design: ListedDesign
  /** The product of the design. Undefined if it is no longer sold. */
  product: Product | undefined
  line: Line
  mayAgreePrices: boolean
  onChange(line: Line): void
}

/** How many pieces of a design are ordered, with its texts and perhaps a price of its own. */
export function LineFields({ design, product, line, mayAgreePrices, onChange }: LineFieldsProps) {
  const { text, formats } = useTexts()
  const change = (part: Partial<Line>): void => onChange({ ...line, ...part })
  const price = design.finalization?.price
  const tiers = (price?.priceTiers ?? []).map(({ minQuantity, unitAmount }) =>
    text('consoleNewOrder.priceFrom', {
      count: minQuantity,
      price: formats.money({ amount: unitAmount, currency: currencyOf(design) }),
    }),
  )
  const isOrdered = (line.quantity ?? 0) > 0
  return (
    <fieldset className="form new-line">
      <legend>{design.name}</legend>
      {product === undefined ? null : <p className="note">{variantText(product, design)}</p>}
      <p className="note">{tiers.join(' · ')}</p>
      <NumberField
        label={text('consoleNewOrder.pieces')}
        minValue={0}
        maxValue={100_000}
        value={line.quantity ?? Number.NaN}
        onChange={(quantity) => change({ quantity: Number.isNaN(quantity) ? undefined : quantity })}
      />
      {isOrdered
        ? design.finalization?.placeholders.map((name) => (
            <TextField
              key={name}
              label={name}
              isRequired
              maxLength={500}
              value={line.data[name] ?? ''}
              onChange={(value) => change({ data: { ...line.data, [name]: value } })}
            />
          ))
        : null}
      {isOrdered && mayAgreePrices ? <AgreedPriceFields design={design} line={line} change={change} /> : null}
    </fieldset>
  )
}

/** The product and the options of a design. */
function variantText({ name, variants }: Product, { variantId }: ListedDesign): string {
  const variant = variants.find(({ id }) => id === variantId)
  return [name, ...Object.values(variant?.options ?? {})].join(' · ')
}

interface AgreedPriceFieldsProps {
  design: ListedDesign
  line: Line
  change(part: Partial<Line>): void
}

function AgreedPriceFields({ design, line, change }: AgreedPriceFieldsProps) {
  const texts = useTexts()
  const { text } = texts
  const currency = currencyOf(design)
  return (
    <>
      <DecimalField
        label={text('consoleNewOrder.agreedPrice')}
        description={agreedPriceText(texts, design, line)}
        decimals={minorDigits(currency)}
        isPadded
        unit={currency}
        value={line.price}
        onChange={(price) => change({ price })}
      />
      {line.price === undefined ? null : (
        <TextField
          label={text('console.reason')}
          description={text('consoleNewOrder.reasonHelp')}
          isRequired
          maxLength={300}
          value={line.reason}
          onChange={(reason) => change({ reason })}
        />
      )}
    </>
  )
}

/**
 * Says how an order gets a surcharge or a discount, of which the service knows only the price of one piece, and what the
 * entered price means for all pieces.
 */
function agreedPriceText(
  { text, formats }: Pick<Texts, 'text' | 'formats'>,
  design: ListedDesign,
  { quantity: count = 0, price: agreed }: Line,
): string | undefined {
  const currency = currencyOf(design)
  const tier = design.finalization?.price.priceTiers.findLast(({ minQuantity }) => minQuantity <= count)
  if (tier === undefined) return undefined
  const price = formats.money({ amount: tier.unitAmount, currency })
  if (agreed === undefined) return text('consoleNewOrder.agreedPriceHelp', { count, price })
  const difference = count * (inMinorUnits(agreed, currency).amount - tier.unitAmount)
  if (difference === 0) return text('consoleNewOrder.agreedSame')
  const amount = formats.money({ amount: Math.abs(difference), currency })
  return text(difference > 0 ? 'consoleNewOrder.agreedSurcharge' : 'consoleNewOrder.agreedDiscount', { amount, price })
}
