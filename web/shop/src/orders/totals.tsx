import type { Amounts } from '@platen/client'
import { useTexts } from '@platen/ui'

export interface TotalsProps {
  amounts: Amounts
  /** Whether the amounts contain the tax. */
  taxIncluded: boolean
}

/** The sums of a quote or an order, as the service states them. */
export function Totals({ amounts, taxIncluded }: TotalsProps) {
  const { text, formats } = useTexts()
  const rows = [
    ['order.subtotal', amounts.subtotal],
    ['order.shipping', amounts.shipping],
    ...(taxIncluded ? [] : [['order.tax', amounts.tax] as const]),
  ] as const
  return (
    <dl className="totals">
      {rows.map(([key, amount]) => (
        <div key={key}>
          <dt>{text(key)}</dt>
          <dd>{formats.money(amount)}</dd>
        </div>
      ))}
      <div className="total">
        <dt>{text('order.total')}</dt>
        <dd>{formats.money(amounts.total)}</dd>
      </div>
      {taxIncluded ? (
        <div className="note">
          <dt>{text('order.taxIncluded')}</dt>
          <dd>{formats.money(amounts.tax)}</dd>
        </div>
      ) : null}
    </dl>
  )
}
