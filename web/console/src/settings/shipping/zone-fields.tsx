import { Button, Checkbox, Icon, TextField, useTexts } from '@platen/ui'
import { newRate, type RateDraft, type ZoneDraft } from './draft.ts'
import { RateFields } from './rate-fields.tsx'
import { ZoneCountries } from './zone-countries.tsx'

export interface ZoneFieldsProps {
  zone: ZoneDraft
  number: number
  currencies: readonly string[]
  onChange(zone: ZoneDraft): void
  onRemove(): void
}

/** Destinations with the same prices. */
export function ZoneFields({ zone, number, currencies, onChange, onRemove }: ZoneFieldsProps) {
  const { text } = useTexts()
  const { rates } = zone
  const changeRate = (changed: RateDraft): void =>
    onChange({ ...zone, rates: rates.map((rate) => (rate.id === changed.id ? changed : rate)) })
  return (
    <fieldset className="section zone">
      <legend className="visually-hidden">{text('consoleSettings.zone', { number })}</legend>
      <div className="section-head">
        <h2>{text('consoleSettings.zone', { number })}</h2>
        <Button look="quiet" onPress={onRemove} aria-label={text('consoleSettings.removeZone', { number })}>
          <Icon name="trash" size={18} />
          {text('consoleSettings.remove')}
        </Button>
      </div>
      <TextField
        label={text('consoleSettings.zoneName')}
        description={text('console.optional')}
        maxLength={100}
        value={zone.name}
        onChange={(name) => onChange({ ...zone, name })}
      />
      <Checkbox isSelected={zone.isRest} onChange={(isRest) => onChange({ ...zone, isRest })}>
        {text('consoleSettings.isRest')}
      </Checkbox>
      {zone.isRest ? null : (
        <ZoneCountries countries={zone.countries} onChange={(countries) => onChange({ ...zone, countries })} />
      )}
      <ul className="rates" aria-label={text('consoleSettings.prices')}>
        {rates.map((rate, index) => (
          <RateFields
            key={rate.id}
            rate={rate}
            number={index + 1}
            currencies={currencies}
            onChange={changeRate}
            onRemove={
              rates.length === 1
                ? undefined
                : () => onChange({ ...zone, rates: rates.filter(({ id }) => id !== rate.id) })
            }
          />
        ))}
      </ul>
      <Button className="add" onPress={() => onChange({ ...zone, rates: [...rates, newRate()] })}>
        <Icon name="plus" size={18} />
        {text('consoleSettings.addRate')}
      </Button>
    </fieldset>
  )
}
