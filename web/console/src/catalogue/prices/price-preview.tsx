import { useTexts } from '@platen/ui'
import type { ShownPreview } from './use-price-preview.ts'

/** What quantities cost, one piece and all of them. */
export function PricePreview({ preview: { prices, isStale } }: { preview: ShownPreview }) {
  const { text, formats } = useTexts()
  return (
    <div className="price-preview">
      <h3>{text('consoleCatalogue.whatItCosts')}</h3>
      {prices === undefined ? (
        <p className="note">{text('consoleCatalogue.noPrices')}</p>
      ) : (
        <table aria-label={text('consoleCatalogue.whatItCosts')} aria-busy={isStale}>
          <thead>
            <tr>
              <th scope="col">{text('consoleCatalogue.quantity')}</th>
              <th scope="col">{text('consoleCatalogue.each')}</th>
              <th scope="col">{text('consoleCatalogue.total')}</th>
            </tr>
          </thead>
          <tbody>
            {prices.map(({ quantity, unitAmount, totalAmount }) => (
              <tr key={quantity}>
                <th scope="row">{formats.number(quantity)}</th>
                <td>{formats.money(unitAmount)}</td>
                <td>{formats.money(totalAmount)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="note">{text('consoleCatalogue.pricesHelp')}</p>
    </div>
  )
}
