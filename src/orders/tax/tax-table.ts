import { findSubdivision } from '../postal-address/subdivisions.ts'
import type { TaxCalculator, TaxDestination } from './provider.ts'

export interface TaxRate {
  /** ISO 3166-1 alpha-2 code. */
  country: string
  /** Code of a subdivision without its country (ISO 3166-2); absent: the whole country, but for regions with a rate of their own. */
  region?: string
  /** Hundredths of a percent: 1900 is 19 %. */
  basisPoints: number
}

export interface TaxSettings {
  taxIncluded: boolean
  rates: TaxRate[]
}

/** Of a shop that has not set anything. */
export const NO_TAX: TaxSettings = { taxIncluded: false, rates: [] }

const BASIS_POINTS = 10_000

/**
 * Taxes a whole order, shipping with it, at the rate of its destination; elsewhere nothing. Rounded once for the order,
 * halves up: rounding each item would change the tax with how the same goods are split into items.
 */
export function taxByTable(settings: TaxSettings, destination: TaxDestination): TaxCalculator {
  const { taxIncluded } = settings
  const basisPoints = rateFor(settings, destination)
  return ({ lines, shipping }) => {
    const base = lines.reduce((sum, line) => sum + line, shipping)
    return { tax: shareOf(base, basisPoints, taxIncluded ? BASIS_POINTS + basisPoints : BASIS_POINTS), taxIncluded }
  }
}

function rateFor({ rates }: TaxSettings, { country, region }: TaxDestination): number {
  const national = rates.filter((rate) => rate.country === country)
  const code = region === undefined ? undefined : findSubdivision(country, region)
  const rate =
    national.find((one) => one.region !== undefined && one.region === code) ??
    national.find((one) => one.region === undefined)
  return rate?.basisPoints ?? 0
}

/** `base * part / whole` in whole units, halves up. Exact: the product may be larger than what a number holds. */
function shareOf(base: number, part: number, whole: number): number {
  const dividend = 2n * BigInt(base) * BigInt(part) + BigInt(whole)
  return Number(dividend / (2n * BigInt(whole)))
}
