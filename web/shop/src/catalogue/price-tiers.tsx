import type { PriceTier } from '@platen/client'
import { useTexts } from '@platen/ui'

export interface PriceTiersProps {
  tiers: readonly PriceTier[]
  currency: string
}

/** The price of a piece by quantity. */
export function PriceTiers({ tiers, currency }: PriceTiersProps) {
  const { text, formats } = useTexts()
  return (
    <table className="tiers">
      <caption>{text('shop.prices')}</caption>
      <thead>
        <tr>
          <th scope="col">{text('shop.quantity')}</th>
          <th scope="col">{text('shop.each')}</th>
        </tr>
      </thead>
      <tbody>
        {tiers.map(({ minQuantity, unitAmount }) => (
          <tr key={minQuantity}>
            <th scope="row">{text('shop.fromQuantity', { count: minQuantity })}</th>
            <td>{formats.money({ amount: unitAmount, currency })}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
