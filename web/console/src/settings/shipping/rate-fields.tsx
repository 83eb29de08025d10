import { Button, Icon, minorDigits, NumberField, useTexts } from '@platen/ui'
import { DecimalField } from '../../parts/form/decimal-field.tsx'
import type { RateDraft } from './draft.ts'

export interface RateFieldsProps {
  rate: RateDraft
  number: number
  currencies: readonly string[]
  onChange(rate: RateDraft): void
  /** Undefined for the only rate of a zone. */
  onRemove: (() => void) | undefined
}

/** The prices of parcels up to a weight. */
export function RateFields({ rate, number, currencies, onChange, onRemove }: RateFieldsProps) {
  const { text } = useTexts()
  return (
    <li className="rate">
      <NumberField
        label={text('consoleSettings.upTo')}
        placeholder={text('consoleSettings.anyWeight')}
        unit="g"
        formatOptions={{ useGrouping: false }}
        hasSteppers={false}
        minValue={1}
        step={1}
        value={rate.maxWeightGrams}
        onChange={(maxWeightGrams) => onChange({ ...rate, maxWeightGrams })}
      />
      {currencies.map((currency) => (
        <DecimalField
          key={currency}
          label={text('consoleSettings.priceIn', { currency })}
          unit={currency}
          decimals={minorDigits(currency)}
          isPadded
          // One price is enough. With a single currency, this is the one.
          isRequired={currencies.length === 1}
          value={rate.amounts[currency]}
          onChange={(units) => onChange({ ...rate, amounts: { ...rate.amounts, [currency]: units } })}
        />
      ))}
      {onRemove === undefined ? null : (
        <Button look="quiet" isIcon aria-label={text('consoleSettings.removeRate', { number })} onPress={onRemove}>
          <Icon name="trash" size={18} />
        </Button>
      )}
    </li>
  )
}
