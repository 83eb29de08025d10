import { Button, Icon, NativeSelect, useTexts } from '@platen/ui'
import { useMemo } from 'react'
import { countriesIn } from '../../parts/form/country-choices.ts'

export interface ZoneCountriesProps {
  countries: readonly string[]
  onChange(countries: readonly string[]): void
}

export function ZoneCountries({ countries, onChange }: ZoneCountriesProps) {
  const { text, locale } = useTexts()
  const all = useMemo(() => countriesIn(locale), [locale])
  const nameOf = (country: string): string => all.find(({ id }) => id === country)?.text ?? country
  return (
    <>
      <NativeSelect
        label={text('consoleSettings.addCountry')}
        placeholder={text('consoleSettings.chooseCountry')}
        choices={all.filter(({ id }) => !countries.includes(id))}
        value=""
        isRequired={countries.length === 0}
        onChange={(country) => onChange([...countries, country])}
      />
      <ul className="chips" aria-label={text('consoleSettings.destinations')}>
        {countries
          .toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))
          .map((country) => (
            <li key={country}>
              <Button
                className="chip"
                aria-label={text('consoleSettings.removeCountry', { country: nameOf(country) })}
                onPress={() => onChange(countries.filter((one) => one !== country))}
              >
                {nameOf(country)}
                <Icon name="close" size={16} />
              </Button>
            </li>
          ))}
      </ul>
    </>
  )
}
