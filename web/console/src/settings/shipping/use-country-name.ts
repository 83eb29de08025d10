import { useTexts } from '@platen/ui'

/** Names a country of a zone; `*` stands for all that no other zone has. */
export function useCountryName() {
  const { text, locale } = useTexts()
  const countries = new Intl.DisplayNames([locale], { type: 'region' })
  return (country: string): string =>
    country === '*' ? text('consoleSettings.otherCountries') : (countries.of(country) ?? country)
}
