import type { ProblemDetail } from '../../platform/problem.ts'
import { isCurrency } from '../../products/index.ts'
import type { ShippingMethod, ShippingRate, ShippingZone } from './offers.ts'

/** Lists the faults of a shipping method that its schema cannot detect. */
export function checkMethod({ estimatedDays, zones }: ShippingMethod): ProblemDetail[] {
  const seen = new Set<string>()
  return [
    ...(estimatedDays.min > estimatedDays.max
      ? [fault('days_descending', '/estimatedDays/max', `This must be at least ${estimatedDays.min}, the minimum.`)]
      : []),
    ...zones.flatMap((zone, index) => [
      ...checkCountries(zone, `/zones/${index}/countries`, seen),
      ...checkRates(zone.rates, `/zones/${index}/rates`),
    ]),
  ]
}

function checkCountries({ countries }: ShippingZone, pointer: string, seen: Set<string>): ProblemDetail[] {
  return countries.flatMap((country, index) => {
    const place = `${pointer}/${index}`
    if (country === '*' && countries.length > 1) {
      return [fault('wildcard_not_alone', place, 'A zone of all other countries names no country besides.')]
    }
    if (seen.has(country)) return [fault('duplicate', place, 'An earlier entry already names this.')]
    seen.add(country)
    return []
  })
}

function checkRates(rates: readonly ShippingRate[], pointer: string): ProblemDetail[] {
  let reached = 0
  return rates.flatMap(({ maxWeightGrams = Number.POSITIVE_INFINITY, prices }, index) => {
    const faults = checkPrices(prices, `${pointer}/${index}/prices`)
    if (maxWeightGrams <= reached) {
      const detail =
        reached === Number.POSITIVE_INFINITY
          ? 'The rate before takes parcels of any weight.'
          : `This must be more than ${reached}, the rate before.`
      faults.push(fault('rates_not_ascending', `${pointer}/${index}`, detail))
    }
    reached = maxWeightGrams
    return faults
  })
}

function checkPrices(prices: ShippingRate['prices'], pointer: string): ProblemDetail[] {
  const seen = new Set<string>()
  return prices.flatMap(({ currency }, index) => {
    const place = `${pointer}/${index}/currency`
    if (!isCurrency(currency)) return [fault('currency_unknown', place, 'This is not a currency of ISO 4217.')]
    if (seen.has(currency)) return [fault('duplicate', place, 'An earlier price is in the same currency.')]
    seen.add(currency)
    return []
  })
}

function fault(code: string, pointer: string, detail: string): ProblemDetail {
  return { code, pointer, detail }
}
