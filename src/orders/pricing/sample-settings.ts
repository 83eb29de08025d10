import { sql } from 'kysely'
import type { Db } from '../../platform/db/index.ts'
import type { ShippingRate, ShippingZone } from '../shipping/offers.ts'
import { saveMethod } from '../shipping/store.ts'
import { findTaxSettings, saveTaxSettings } from '../tax/store.ts'
import type { TaxSettings } from '../tax/tax-table.ts'

/**
 * Stores sample charges for shipping and tax if none were ever set, so that a new shop can sell at once.
 *
 * @returns whether the sample charges were stored
 */
export async function seedSampleSettings(db: Db, now: Date): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    await sql`lock table shipping_methods, tax_settings in share row exclusive mode`.execute(trx)
    const { rows } = await sql`select from shipping_methods limit 1`.execute(trx)
    if (rows.length > 0 || (await findTaxSettings(trx)) !== undefined) return false
    for (const [index, method] of SAMPLE_METHODS.entries()) {
      const state = { position: index + 1, active: true, createdAt: now, updatedAt: now, deletedAt: null }
      await saveMethod(trx, { ...method, ...state })
    }
    await saveTaxSettings(trx, { ...SAMPLE_TAX, updatedAt: now })
    return true
  })
}

const SAMPLE_TAX: TaxSettings = {
  taxIncluded: false,
  rates: [
    { country: 'DE', basisPoints: 1900 },
    { country: 'FR', basisPoints: 2000 },
    { country: 'NL', basisPoints: 2100 },
  ],
}

const CURRENCIES = ['EUR', 'USD', 'GBP', 'CHF'] as const
type Prices = [eur: number, usd: number, gbp: number, chf: number]

function rate(maxWeightGrams: number | undefined, ...amounts: Prices): ShippingRate {
  const prices = CURRENCIES.map((currency, index) => ({ amount: amounts[index] ?? 0, currency }))
  return { ...(maxWeightGrams === undefined ? {} : { maxWeightGrams }), prices }
}

const EUROPE: Pick<ShippingZone, 'name' | 'countries'> = {
  name: 'Europe',
  countries:
    'AT BE BG CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MC MT NL NO PL PT RO SE SI SK SM'.split(' '),
}
const WORLD: Pick<ShippingZone, 'name' | 'countries'> = { name: 'Rest of the world', countries: ['*'] }

/** The first method is the default. */
const SAMPLE_METHODS = [
  {
    id: 'standard',
    name: 'Standard',
    estimatedDays: { min: 4, max: 7 },
    zones: [
      {
        ...EUROPE,
        rates: [
          rate(2_000, 490, 590, 450, 690),
          rate(10_000, 990, 1_190, 890, 1_290),
          rate(31_500, 1_990, 2_290, 1_790, 2_390),
          rate(undefined, 7_900, 8_900, 6_900, 8_900),
        ],
      },
      {
        ...WORLD,
        rates: [
          rate(2_000, 490, 590, 450, 690),
          rate(10_000, 2_490, 2_890, 2_190, 2_790),
          rate(31_500, 5_990, 6_890, 5_290, 6_490),
          rate(undefined, 19_900, 22_900, 17_900, 21_900),
        ],
      },
    ],
  },
  {
    id: 'express',
    name: 'Express',
    estimatedDays: { min: 1, max: 2 },
    zones: [
      {
        ...EUROPE,
        rates: [
          rate(2_000, 1_490, 1_690, 1_290, 1_790),
          rate(10_000, 2_490, 2_890, 2_190, 2_790),
          rate(31_500, 4_490, 5_190, 3_990, 4_890),
        ],
      },
      {
        ...WORLD,
        rates: [
          rate(2_000, 1_490, 1_690, 1_290, 1_790),
          rate(10_000, 4_990, 5_790, 4_390, 5_490),
          rate(31_500, 11_900, 13_900, 10_900, 12_900),
        ],
      },
    ],
  },
]
