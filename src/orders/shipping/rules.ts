import type { ProblemDetail } from '../../platform/problem.ts'
import { isCurrency } from '../../products/index.ts'
import type { ShippingMethod, ShippingRate, ShippingZone } from './offers.ts'

/** Lists the faults of a shipping method that its schema cannot detect. */
export function checkMethod({ estimatedDays, zones }: ShippingMethod): ProblemDetail[] {
  const seen = new Set<string>()
  return [
    ...(estimatedDays.min > estimatedDays.max
      ? [
          fault(
            'days_descending',
            '/estimatedDays/max',
            `estimatedDays.max must be at least ${estimatedDays.min}, which is estimatedDays.min.`,
          ),
        ]
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
      return [
        fault(
          'wildcard_not_alone',
          place,
          'A zone with "*" covers all other countries, so it cannot list further countries.',
        ),
      ]
    }
    if (seen.has(country)) return [fault('duplicate', place, `An earlier entry already names ${country}.`)]
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
          ? 'The previous rate has no maximum weight, so this rate would never apply.'
          : `maxWeightGrams must be more than ${reached}, the maximum weight of the previous rate.`
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
    if (!isCurrency(currency))
      return [fault('currency_unknown', place, `${currency} is not a currency code of ISO 4217.`)]
    if (seen.has(currency)) return [fault('duplicate', place, `An earlier price is also in ${currency}.`)]
    seen.add(currency)
    return []
  })
}

function fault(code: string, pointer: string, detail: string): ProblemDetail {
  return { code, pointer, detail }
}
