import { orderProblems } from '../problems.ts'

/** Prices of parcels up to a weight, one per currency. */
export interface ShippingRate {
  /** Default: no maximum. */
  maxWeightGrams?: number
  /** In minor units. Orders in currencies without a price cannot use the method. */
  prices: { amount: number; currency: string }[]
}

export interface ShippingZone {
  name?: string
  /** ISO 3166-1 alpha-2 codes, or `*` alone for every country that no other zone of the method names. */
  countries: string[]
  /** Ascending by weight. A rate without a maximum is the last one. */
  rates: ShippingRate[]
}

export interface ShippingMethod {
  id: string
  name: string
  /** Working days from payment to delivery. */
  estimatedDays: { min: number; max: number }
  zones: ShippingZone[]
}

export type PricedShippingMethod = Omit<ShippingMethod, 'zones'> & { amount: number }

export interface Parcel {
  country: string
  weightGrams: number
  currency: string
}

/** Lists the methods that can ship a parcel, with prices. The first one is the default. */
export function offersFor(methods: readonly ShippingMethod[], parcel: Parcel): PricedShippingMethod[] {
  return methods.flatMap((method) => {
    const zone = zoneFor(method, parcel.country)
    return priced(method, zone === undefined ? undefined : amountIn(zone, parcel))
  })
}

/**
 * Lists the methods with their lowest price in a currency, for clients that do not know the destination.
 *
 * @param country limits the prices to one destination
 */
export function lowestOffers(
  methods: readonly ShippingMethod[],
  { country, ...parcel }: Omit<Parcel, 'country'> & { country?: string | undefined },
): PricedShippingMethod[] {
  if (country !== undefined) return offersFor(methods, { ...parcel, country })
  return methods.flatMap((method) => {
    const amounts = method.zones.flatMap((zone) => amountIn(zone, parcel) ?? [])
    return priced(method, amounts.length === 0 ? undefined : Math.min(...amounts))
  })
}

/**
 * Chooses the requested method, or the first that can ship the parcel.
 *
 * @throws `shipping_unavailable` with the reason, `shipping_method_unknown`
 */
export function chooseOffer(
  methods: readonly ShippingMethod[],
  parcel: Parcel,
  id: string | undefined,
): PricedShippingMethod {
  const offers = offersFor(methods, parcel)
  const [first] = offers
  if (first === undefined) throw unavailable(whyNone(methods, parcel))
  const chosen = id === undefined ? first : offers.find((offer) => offer.id === id)
  if (chosen !== undefined) return chosen
  const others = `Expected one of: ${offers.map((offer) => offer.id).join(', ')}.`
  const method = methods.find((one) => one.id === id)
  if (method !== undefined) throw unavailable(`${whyNone([method], parcel).detail} ${others}`, '/shippingMethod')
  throw orderProblems.shipping_method_unknown({
    errors: [{ code: 'shipping_method_unknown', pointer: '/shippingMethod', detail: others }],
  })
}

function unavailable(reason: string | { pointer: string; detail: string }, pointer = '') {
  const fault = typeof reason === 'string' ? { pointer, detail: reason } : reason
  return orderProblems.shipping_unavailable({
    detail: fault.detail,
    errors: [{ code: 'shipping_unavailable', ...fault }],
  })
}

/**
 * Returns the reason why no method can ship a parcel: destination, weight or currency, whichever fails first in this
 * order.
 */
function whyNone(
  methods: readonly ShippingMethod[],
  { country, weightGrams, currency }: Parcel,
): { pointer: string; detail: string } {
  if (methods.length === 0) return { pointer: '/shippingMethod', detail: 'This shop has no shipping methods yet.' }
  const zones = methods.flatMap((method) => zoneFor(method, country) ?? [])
  if (zones.length === 0)
    return { pointer: '/shippingAddress/country', detail: `No shipping method delivers to ${country}.` }
  const rates = zones.flatMap((zone) => rateFor(zone, weightGrams) ?? [])
  if (rates.length === 0) {
    const heaviest = Math.max(...zones.flatMap(({ rates: all }) => all.map(({ maxWeightGrams = 0 }) => maxWeightGrams)))
    const detail = `The items weigh ${weightGrams} g, but parcels to ${country} can weigh at most ${heaviest} g.`
    return { pointer: '/items', detail }
  }
  return { pointer: '/items', detail: `Shipping to ${country} has no price in ${currency}, the currency of the items.` }
}

function zoneFor({ zones }: ShippingMethod, country: string): ShippingZone | undefined {
  return (
    zones.find(({ countries }) => countries.includes(country)) ?? zones.find(({ countries }) => countries.includes('*'))
  )
}

function rateFor({ rates }: ShippingZone, weightGrams: number): ShippingRate | undefined {
  return rates.find(({ maxWeightGrams = Number.POSITIVE_INFINITY }) => weightGrams <= maxWeightGrams)
}

function amountIn(zone: ShippingZone, { weightGrams, currency }: Omit<Parcel, 'country'>): number | undefined {
  return rateFor(zone, weightGrams)?.prices.find((price) => price.currency === currency)?.amount
}

function priced({ id, name, estimatedDays }: ShippingMethod, amount: number | undefined): PricedShippingMethod[] {
  return amount === undefined ? [] : [{ id, name, estimatedDays, amount }]
}
