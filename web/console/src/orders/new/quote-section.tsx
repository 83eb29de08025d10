import type { Quote } from '@platen/client'
import { Button, NativeSelect, useTexts } from '@platen/ui'
import { Section } from '../../parts/page/section.tsx'

export interface QuoteSectionProps {
  quote: Quote
  isPlacing: boolean
  onChooseMethod(id: string): void
  onPlace(): void
}

/** What the order costs, before it is placed. */
export function QuoteSection({ quote, isPlacing, onChooseMethod, onPlace }: QuoteSectionProps) {
  const { text, formats } = useTexts()
  const { amounts } = quote
  const sums = [
    [text('console.subtotal'), amounts.subtotal],
    [text('console.shipping'), amounts.shipping],
    [text(quote.taxIncluded ? 'console.taxIncluded' : 'console.tax'), amounts.tax],
    [text('console.total'), amounts.total],
  ] as const
  return (
    <Section title={text('console.total')}>
      <NativeSelect
        label={text('consoleNewOrder.shippingMethod')}
        placeholder={text('consoleNewOrder.shippingMethod')}
        choices={quote.shippingMethods.map(({ id, name, price }) => ({
          id,
          text: `${name} · ${formats.money(price)}`,
        }))}
        value={quote.shippingMethod}
        onChange={onChooseMethod}
      />
      <dl className="sums">
        {sums.map(([name, amount]) => (
          <div key={name} className={amount === amounts.total ? 'total' : ''}>
            <dt>{name}</dt>
            <dd>{formats.money(amount)}</dd>
          </div>
        ))}
      </dl>
      <Button look="primary" isPending={isPlacing} onPress={onPlace}>
        {text('consoleNewOrder.place')}
      </Button>
    </Section>
  )
}
