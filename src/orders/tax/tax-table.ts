import { findSubdivision } from '../postal-address/subdivisions.ts'
import type { TaxCalculator, TaxDestination } from './provider.ts'

export interface TaxRate {
  country: string
  /** Code of a subdivision without its country (ISO 3166-2). Default: all regions without a rate of their own. */
  region?: string
  /** Hundredths of a percent: 1900 is 19 %. */
  basisPoints: number
}

export interface TaxSettings {
  taxIncluded: boolean
  rates: TaxRate[]
}

export const NO_TAX: TaxSettings = { taxIncluded: false, rates: [] }

const BASIS_POINTS = 10_000

/**
 * Taxes a whole order, including shipping, at the rate of its destination. Destinations without a rate are not taxed.
 * The tax is rounded once per order, halves up. With rounding per item, the tax would depend on how pieces are split
 * into items.
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

/**
 * Returns `base * part / whole`, with halves rounded up. Uses BigInt, because the product can exceed what a number
 * holds exactly.
 */
function shareOf(base: number, part: number, whole: number): number {
  const dividend = 2n * BigInt(base) * BigInt(part) + BigInt(whole)
  return Number(dividend / (2n * BigInt(whole)))
}
