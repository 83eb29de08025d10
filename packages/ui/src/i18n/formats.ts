import { minorDigits } from './currencies.ts'

/** An amount in minor units, as the API states it. */
export interface Money {
  amount: number
  currency: string
}

/** Writes values as readers of a language expect them. */
export interface Formats {
  /** The language with the customer's region, such as `en-GB`. */
  locale: string
  number(value: number, options?: Intl.NumberFormatOptions): string
  money(value: Money): string
  /** A length in millimetres. */
  length(mm: number): string
  /** Width and height in millimetres. */
  size(widthMm: number, heightMm: number): string
  /** A share from 0 to 1. */
  percent(share: number): string
  bytes(count: number): string
  date(value: string | Date): string
  dateTime(value: string | Date): string
  /** A time of day. */
  time(value: string | Date): string
  /** Such as "2 hours ago". Older than a week, it is the date. */
  ago(value: string | Date): string
}

const DAY_SECONDS = 86_400

const AGES = [
  ['minute', 60, 3_600],
  ['hour', 3_600, DAY_SECONDS],
  ['day', DAY_SECONDS, 7 * DAY_SECONDS],
] as const

const UNITS = [
  ['gigabyte', 1e9],
  ['megabyte', 1e6],
] as const

/** More than there are currencies, so only options that no page has drop what is kept. */
const MOST_NUMBER_FORMATS = 400

/** Making a format costs fifty times as much as using it, and a product page states thousands of prices. */
function rememberNumberFormats(locale: string): (options?: Intl.NumberFormatOptions) => Intl.NumberFormat {
  const made = new Map<string, Intl.NumberFormat>()
  return (options = {}) => {
    const key = JSON.stringify(options)
    const known = made.get(key)
    if (known !== undefined) return known
    if (made.size >= MOST_NUMBER_FORMATS) made.clear()
    const format = new Intl.NumberFormat(locale, options)
    made.set(key, format)
    return format
  }
}

export function createFormats(locale: string): Formats {
  const numberFormat = rememberNumberFormats(locale)
  const number: Formats['number'] = (value, options) => numberFormat(options).format(value)
  const dateOf = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' })
  const dateTimeOf = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  const timeOf = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' })
  const date: Formats['date'] = (value) => dateOf.format(new Date(value))
  return {
    locale,
    number,
    money: ({ amount, currency }) => {
      const digits = minorDigits(currency)
      const decimals = { minimumFractionDigits: digits, maximumFractionDigits: digits }
      return numberFormat({ style: 'currency', currency, ...decimals }).format(amount / 10 ** digits)
    },
    length: (mm) => number(mm, { style: 'unit', unit: 'millimeter', maximumFractionDigits: 1 }),
    size: (widthMm, heightMm) =>
      `${number(widthMm, { maximumFractionDigits: 1 })} × ${number(heightMm, { style: 'unit', unit: 'millimeter', maximumFractionDigits: 1 })}`,
    percent: (share) => number(share, { style: 'percent' }),
    bytes: (count) => {
      const [unit, size] = UNITS.find(([, bytes]) => count >= bytes) ?? ['kilobyte', 1e3]
      const written = number(count / size, { style: 'unit', unit, maximumFractionDigits: size === 1e3 ? 0 : 1 })
      return written.replace(' ', '\u00a0')
    },
    date,
    dateTime: (value) => dateTimeOf.format(new Date(value)),
    time: (value) => timeOf.format(new Date(value)),
    ago: (value) => {
      const seconds = (Date.now() - new Date(value).getTime()) / 1_000
      if (seconds < 60) return relative.format(0, 'second')
      const age = AGES.find(([, , limit]) => seconds < limit)
      return age === undefined ? date(value) : relative.format(-Math.floor(seconds / age[1]), age[0])
    },
  }
}
