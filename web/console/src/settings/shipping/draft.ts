import type { CreateShippingMethodRequest, ShippingMethodSettings } from '@platen/client'
import { inMinorUnits, inUnits } from '../../parts/form/money.ts'

/** Stands for all countries that no other zone names. */
const REST = '*'

/** Prices of parcels up to a weight. Empty fields are `NaN`. */
export interface RateDraft {
  id: number
  maxWeightGrams: number
  /** In units of each currency. */
  amounts: Readonly<Record<string, number | undefined>>
}

export interface ZoneDraft {
  id: number
  name: string
  /** Whether the zone has all countries that no other zone names. */
  isRest: boolean
  countries: readonly string[]
  rates: readonly RateDraft[]
}

/** A shipping method in its form. */
export interface MethodDraft {
  name: string
  minDays: number
  maxDays: number
  isActive: boolean
  currencies: readonly string[]
  zones: readonly ZoneDraft[]
}

let lastId = 0
/** Tells entries of a list apart, also after one was removed. */
const nextId = (): number => ++lastId

export const newRate = (): RateDraft => ({ id: nextId(), maxWeightGrams: Number.NaN, amounts: {} })

export const newZone = (): ZoneDraft => ({ id: nextId(), name: '', isRest: false, countries: [], rates: [newRate()] })

/** @param currencies of the products */
export function newDraft(currencies: readonly string[]): MethodDraft {
  const zone = { ...newZone(), isRest: true }
  return { name: '', minDays: 2, maxDays: 4, isActive: true, currencies, zones: [zone] }
}

export function draftOf(method: ShippingMethodSettings, currencies: readonly string[]): MethodDraft {
  const { name, estimatedDays, active, zones } = method
  const used = zones.flatMap(({ rates }) => rates.flatMap(({ prices }) => prices.map(({ currency }) => currency)))
  return {
    name,
    minDays: estimatedDays.min,
    maxDays: estimatedDays.max,
    isActive: active,
    currencies: [...new Set([...currencies, ...used])].sort(),
    zones: zones.map(({ name: zoneName = '', countries, rates }) => ({
      id: nextId(),
      name: zoneName,
      isRest: countries.includes(REST),
      countries: countries.filter((country) => country !== REST),
      rates: rates.map(({ maxWeightGrams = Number.NaN, prices }) => ({
        id: nextId(),
        maxWeightGrams,
        amounts: Object.fromEntries(prices.map((price) => [price.currency, inUnits(price)])),
      })),
    })),
  }
}

type NewZone = CreateShippingMethodRequest['zones'][number]

export function requestOf(draft: MethodDraft): CreateShippingMethodRequest {
  return {
    name: draft.name.trim(),
    estimatedDays: { min: draft.minDays, max: draft.maxDays },
    active: draft.isActive,
    zones: draft.zones.map(zoneOf),
  }
}

function zoneOf({ name, isRest, countries, rates }: ZoneDraft): NewZone {
  return {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    countries: (isRest ? [REST] : countries) as NewZone['countries'],
    rates: rates.map(({ maxWeightGrams, amounts }) => ({
      ...(Number.isNaN(maxWeightGrams) ? {} : { maxWeightGrams }),
      prices: Object.entries(amounts).flatMap(([currency, units]) =>
        units === undefined ? [] : [inMinorUnits(units, currency)],
      ),
    })),
  }
}

/** Tells whether everything is filled in that the service needs. The service checks how the entries fit together. */
export function isComplete({ name, minDays, maxDays, zones }: MethodDraft): boolean {
  const hasPrice = ({ amounts }: RateDraft): boolean => Object.values(amounts).some((units) => units !== undefined)
  return (
    name.trim() !== '' &&
    ![minDays, maxDays].some(Number.isNaN) &&
    zones.every(({ isRest, countries, rates }) => (isRest || countries.length > 0) && rates.every(hasPrice))
  )
}
