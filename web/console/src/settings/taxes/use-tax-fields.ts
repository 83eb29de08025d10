import type { TaxSettings } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import type { FieldTexts } from '../../parts/history/history-section.tsx'
import { useFieldValues } from '../../parts/history/use-field-values.ts'

type TaxRate = TaxSettings['rates'][number]

const NAMES: Readonly<Record<string, MessageKey>> = {
  taxIncluded: 'consoleSettings.taxIncluded',
  rates: 'consoleHistory.order',
}

/** Says in words which tax a change names, and what its rates are. */
export function useTaxFields(): FieldTexts {
  const { formats, locale } = useTexts()
  const { memberName, valueText } = useFieldValues(NAMES)
  const countries = new Intl.DisplayNames([locale], { type: 'region' })
  const placeOf = (name: string): string => {
    const [country = '', ...region] = name.split('-')
    return [countries.of(country) ?? country, ...(region.length === 0 ? [] : [region.join('-')])].join(', ')
  }
  const percent = (basisPoints: number): string =>
    formats.number(basisPoints / 10_000, { style: 'percent', maximumFractionDigits: 2 })
  return {
    nameOf: (pointer) => {
      const [, place] = pointer.split('/').slice(1)
      return place === undefined ? memberName(pointer) : placeOf(place)
    },
    textOf: (pointer, value) => {
      if (pointer === '/rates') return (value as string[]).map(placeOf).join('; ')
      if (pointer.endsWith('/basisPoints')) return percent(value as number)
      return pointer.startsWith('/rates/') ? percent((value as TaxRate).basisPoints) : valueText(value)
    },
  }
}
