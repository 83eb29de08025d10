import { Button, Icon, NativeSelect, NumberField, TextField, useTexts } from '@platen/ui'
import { useMemo } from 'react'
import { countriesIn } from '../../parts/country-choices.ts'
import type { TaxRateDraft } from './draft.ts'

export interface TaxRateFieldsProps {
  rate: TaxRateDraft
  number: number
  onChange(rate: TaxRateDraft): void
  onRemove(): void
}

export function TaxRateFields({ rate, number, onChange, onRemove }: TaxRateFieldsProps) {
  const { text, locale } = useTexts()
  const countries = useMemo(() => countriesIn(locale), [locale])
  return (
    <li className="rate">
      <NativeSelect
        label={text('console.country')}
        placeholder={text('consoleSettings.chooseCountry')}
        choices={countries}
        value={rate.country}
        onChange={(country) => onChange({ ...rate, country })}
      />
      <TextField
        label={text('consoleSettings.region')}
        placeholder={text('consoleSettings.wholeCountry')}
        maxLength={100}
        value={rate.region}
        onChange={(region) => onChange({ ...rate, region })}
      />
      <NumberField
        label={text('consoleSettings.percent')}
        unit="%"
        hasSteppers={false}
        minValue={0}
        maxValue={100}
        formatOptions={{ maximumFractionDigits: 2 }}
        value={rate.percent}
        onChange={(percent) => onChange({ ...rate, percent })}
      />
      <Button look="quiet" isIcon aria-label={text('consoleSettings.removeTaxRate', { number })} onPress={onRemove}>
        <Icon name="trash" size={18} />
      </Button>
    </li>
  )
}
