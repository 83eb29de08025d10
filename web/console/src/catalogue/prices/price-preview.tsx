import type { PricePreview as Preview } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import type { ShownPreview } from './use-price-preview.ts'

/** What quantities cost, one piece and all of them. */
export function PricePreview({ preview: { prices, isStale } }: { preview: ShownPreview }) {
  const { text, formats } = useTexts()
  const drop = findDrop(prices ?? [])
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
      {drop === undefined ? null : (
        <Banner tone="warning" isLive>
          {text('consoleCatalogue.cheaperTotal', drop)}
        </Banner>
      )}
      <p className="note">{text('consoleCatalogue.pricesHelp')}</p>
    </div>
  )
}

/** Finds the first quantity that costs less in total than a smaller one, which is seldom meant. */
function findDrop(prices: Preview['prices']): { more: number; fewer: number } | undefined {
  const at = prices.findIndex((price, index) => price.totalAmount.amount < (prices[index - 1]?.totalAmount.amount ?? 0))
  const [before, price] = [prices[at - 1], prices[at]]
  return before === undefined || price === undefined ? undefined : { more: price.quantity, fewer: before.quantity }
}
