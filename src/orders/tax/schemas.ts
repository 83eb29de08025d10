import { type Static, Type } from 'typebox'
import { countryCode } from '../order/countries.ts'
import type { StoredTaxSettings } from './store.ts'
import { NO_TAX } from './tax-table.ts'

const closed = { additionalProperties: false } as const

const country = countryCode('ISO 3166-1 alpha-2 code.')
const region = Type.Optional(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description:
      'Subdivision of the country by its ISO 3166-2 code or name (`CA` or `California`); responses contain the code. Without it, the rate applies to the whole country except for regions with a rate of their own.',
  }),
)
const basisPoints = Type.Integer({
  minimum: 0,
  maximum: 10_000,
  description: 'Hundredths of a percent: 1900 is 19 %, 770 is 7.7 %.',
})

const NewTaxRate = Type.Object(
  {
    country,
    region,
    basisPoints,
  },
  closed,
)

const TaxRateBody = Type.Object({ country, region, basisPoints }, { ...closed, title: 'TaxRate' })

const taxIncluded = Type.Boolean({
  description:
    '`true`: prices of products and shipping contain the tax, which is `gross * rate / (100 % + rate)`. `false`: the tax is added to them.',
})
const untaxed = 'Destinations without a rate are not taxed.'

export const NewTaxSettingsBody = Type.Object(
  { taxIncluded, rates: Type.Array(NewTaxRate, { maxItems: 1000, description: untaxed }) },
  closed,
)
export type NewTaxSettingsBody = Static<typeof NewTaxSettingsBody>

export const TaxSettingsBody = Type.Object(
  {
    taxIncluded,
    rates: Type.Array(TaxRateBody, { description: untaxed }),
    updatedAt: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description: 'Null until an administrator sets the tax for the first time.',
    }),
  },
  { ...closed, title: 'TaxSettings' },
)
export type TaxSettingsBody = Static<typeof TaxSettingsBody>

export function toTaxSettingsBody(settings: StoredTaxSettings | undefined): TaxSettingsBody {
  if (settings === undefined) return { ...NO_TAX, updatedAt: null }
  return { ...settings, updatedAt: settings.updatedAt.toISOString() }
}
