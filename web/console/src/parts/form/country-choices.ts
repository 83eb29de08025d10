import { COUNTRY_CODES } from '@platen/app/postal-address'

/** The countries by name, in the order of a language. */
export function countriesIn(locale: string): { id: string; text: string }[] {
  const names = new Intl.DisplayNames([locale], { type: 'region' })
  return COUNTRY_CODES.map((id) => ({ id, text: names.of(id) ?? id })).sort((a, b) => a.text.localeCompare(b.text))
}
