import { Button, Icon, NativeSelect, TextField, useTexts } from '@platen/ui'
import { useMemo } from 'react'
import { countriesIn } from '../../parts/form/country-choices.ts'
import { DecimalField } from '../../parts/form/decimal-field.tsx'
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
        isRequired
        onChange={(country) => onChange({ ...rate, country })}
      />
      <TextField
        label={text('consoleSettings.region')}
        placeholder={text('consoleSettings.wholeCountry')}
        maxLength={100}
        value={rate.region}
        onChange={(region) => onChange({ ...rate, region })}
      />
      <DecimalField
        label={text('consoleSettings.percent')}
        unit="%"
        decimals={2}
        {...(rate.percent !== undefined && rate.percent > 100 ? { error: text('consoleSettings.faultPercent') } : {})}
        value={rate.percent}
        isRequired
        onChange={(percent) => onChange({ ...rate, percent })}
      />
      <Button look="quiet" isIcon aria-label={text('consoleSettings.removeTaxRate', { number })} onPress={onRemove}>
        <Icon name="trash" size={18} />
      </Button>
    </li>
  )
}
