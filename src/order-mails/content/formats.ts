import { LRUCache } from 'lru-cache'
import { minorDigits } from '../../platform/currencies.ts'
import { LANGUAGES, type Language } from '../../platform/languages.ts'

/** Writes values in the language of a mail. */
export interface Formats {
  language: Language
  money(amount: { amount: number; currency: string }): string
  number(value: number): string
  /** Formats the date in UTC. */
  date(time: string): string
}

/** Making formats costs fifty times as much as using them. Customers name many regions, so only some are kept. */
const MADE = new LRUCache<string, Formats>({ max: 100 })

/**
 * Chooses the language of a customer, or the first one of the shop, with the formats of the region.
 *
 * @param locale a BCP 47 tag, which may be malformed
 */
export function formatsFor(locale: string | null, languages: readonly Language[] = LANGUAGES): Formats {
  const wanted = parse(locale)
  const language = languages.find((one) => one === wanted?.language) ?? languages[0] ?? 'en'
  // The formats of another language would not fit the texts.
  const tag = wanted?.language === language ? wanted.toString() : language
  const known = MADE.get(tag)
  if (known !== undefined) return known
  const formats = createFormats(tag, language)
  MADE.set(tag, formats)
  return formats
}

function createFormats(tag: string, language: Language): Formats {
  const dates = new Intl.DateTimeFormat(tag, { dateStyle: 'long', timeZone: 'UTC', calendar: 'gregory' })
  const numbers = new Intl.NumberFormat(tag)
  const moneyFormats = new Map<string, Intl.NumberFormat>()
  const moneyFormat = (currency: string, digits: number): Intl.NumberFormat => {
    const known = moneyFormats.get(currency)
    if (known !== undefined) return known
    const fractionDigits = { minimumFractionDigits: digits, maximumFractionDigits: digits }
    const format = new Intl.NumberFormat(tag, { style: 'currency', currency, ...fractionDigits })
    moneyFormats.set(currency, format)
    return format
  }
  return {
    language,
    money: ({ amount, currency }) => {
      const digits = minorDigits(currency)
      return moneyFormat(currency, digits).format(amount / 10 ** digits)
    },
    number: (value) => numbers.format(value),
    date: (time) => dates.format(new Date(time)),
  }
}

function parse(locale: string | null): Intl.Locale | undefined {
  if (locale === null) return undefined
  try {
    // Extensions, such as another calendar or other digits, would not fit the texts either.
    return new Intl.Locale(new Intl.Locale(locale).baseName)
  } catch {
    return undefined
  }
}
