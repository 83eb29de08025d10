import type { ShippingMethodSettings } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import type { FieldTexts } from '../../parts/history/history-section.tsx'
import { useFieldValues } from '../../parts/history/use-field-values.ts'
import { useCountryName } from './use-country-name.ts'

type Zone = ShippingMethodSettings['zones'][number]

const NAMES: Readonly<Record<string, MessageKey>> = {
  name: 'consoleSettings.name',
  estimatedDays: 'consoleSettings.deliveryTime',
  active: 'consoleSettings.isOffered',
  position: 'consoleHistory.position',
  countries: 'consoleSettings.destinations',
  rates: 'consoleSettings.prices',
}

/** Says in words which field of a shipping method a change names, and what its values are. */
export function useMethodFields(): FieldTexts {
  const { text, formats } = useTexts()
  const { memberName, valueText } = useFieldValues(NAMES)
  const countryName = useCountryName()
  const countriesText = (countries: Zone['countries']): string => countries.map(countryName).join(', ')
  const ratesText = (rates: Zone['rates']): string =>
    rates
      .map(({ maxWeightGrams, prices }) => {
        const weight =
          maxWeightGrams === undefined
            ? text('consoleSettings.anyWeight')
            : `${text('consoleSettings.upTo')} ${formats.number(maxWeightGrams)} g`
        return `${weight}: ${prices.map((price) => formats.money(price)).join(', ')}`
      })
      .join('; ')
  return {
    nameOf: (pointer) => {
      const [list, index, member] = pointer.split('/').slice(1)
      if (list !== 'zones' || index === undefined) return memberName(pointer)
      const zone = text('consoleSettings.zone', { number: Number(index) + 1 })
      if (member === 'name') return `${zone}: ${text('consoleSettings.zoneName')}`
      return member === undefined ? zone : `${zone}: ${memberName(pointer)}`
    },
    textOf: (pointer, value) => {
      if (pointer === '/estimatedDays') {
        return text('consoleSettings.days', value as ShippingMethodSettings['estimatedDays'])
      }
      if (pointer.endsWith('/countries')) return countriesText(value as Zone['countries'])
      if (pointer.endsWith('/rates')) return ratesText(value as Zone['rates'])
      if (!/^\/zones\/\d+$/.test(pointer)) return valueText(value)
      const { name, countries, rates } = value as Zone
      return `${name ?? countriesText(countries)} (${ratesText(rates)})`
    },
  }
}
