import {
  lowestOffers,
  type ShippingMethod,
  type ShippingMethodBody,
  toShippingMethodBodies,
} from '../../orders/index.ts'
import type { ProductBody } from '../../products/index.ts'
import { escapeHtml } from '../html.ts'
import type { ShopTexts } from '../shop/shop-texts.ts'
import { inUnits } from './money.ts'

/** Lists the methods that can ship in a currency, with their lowest prices. */
export function listDelivery(methods: readonly ShippingMethod[], currency: string): ShippingMethodBody[] {
  return toShippingMethodBodies(lowestOffers(methods, { currency, weightGrams: 0 }), currency)
}

/** Shows how long each method takes and what it costs, as far as this is known without a destination. */
export function deliveryHtml(methods: readonly ShippingMethodBody[], { text, formats }: ShopTexts): string {
  if (methods.length === 0) return ''
  const rows = methods.map(({ name, price, estimatedDays: { min, max } }) => {
    const days = min === max ? formats.number(max) : `${formats.number(min)}–${formats.number(max)}`
    const time = text('shop.workingDays', { days, count: max })
    const from = text('shop.deliveryPrice', { price: formats.money(price) })
    return `<div><dt>${escapeHtml(name)} <span class="note">${escapeHtml(time)}</span></dt><dd>${escapeHtml(from)}</dd></div>`
  })
  return `<section class="delivery"><h2>${escapeHtml(text('shop.delivery'))}</h2><dl class="facts">${rows.join('')}</dl>
<p class="note">${escapeHtml(text('shop.deliveryNote'))}</p></section>`
}

/**
 * Describes shipping for search engines: https://schema.org/OfferShippingDetails. Zones for all other countries are left
 * out, because the vocabulary cannot name them.
 */
export function shippingDetails(methods: readonly ShippingMethod[], { currency }: ProductBody): object[] {
  return methods.flatMap(({ zones, estimatedDays: { min, max } }) =>
    zones
      .filter(({ countries }) => !countries.includes('*'))
      .flatMap(({ countries, rates }) => {
        const prices = rates.flatMap((rate) => rate.prices.filter((price) => price.currency === currency))
        if (prices.length === 0) return []
        return {
          '@type': 'OfferShippingDetails',
          shippingDestination: { '@type': 'DefinedRegion', addressCountry: countries },
          shippingRate: rateOf(
            prices.map(({ amount }) => amount),
            currency,
          ),
          // The methods state one time for production and transport together, so there is no `handlingTime`.
          deliveryTime: {
            '@type': 'ShippingDeliveryTime',
            transitTime: { '@type': 'QuantitativeValue', minValue: min, maxValue: max, unitCode: 'DAY' },
          },
        }
      }),
  )
}

/** The price of a parcel depends on its weight. */
function rateOf(amounts: readonly number[], currency: string): object {
  const [lowest, highest] = [Math.min(...amounts), Math.max(...amounts)].map((amount) => inUnits(amount, currency))
  const range = lowest === highest ? { value: lowest } : { minValue: lowest, maxValue: highest }
  return { '@type': 'MonetaryAmount', ...range, currency }
}
