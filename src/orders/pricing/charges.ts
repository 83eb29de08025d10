import type { Db } from '../../platform/db/index.ts'
import type { ShippingMethod } from '../shipping/offers.ts'
import { listOfferedMethods } from '../shipping/store.ts'
import type { TaxCalculator, TaxDestination, TaxProvider } from '../tax/provider.ts'
import { findTaxSettings } from '../tax/store.ts'
import { NO_TAX, taxByTable } from '../tax/tax-table.ts'

/** How long a process may go on with settings that were changed on another one. */
const SETTINGS_CACHE_MS = 2_000

/** What the shop charges besides its products at this moment, for one destination. */
export interface Charges {
  shippingMethods: readonly ShippingMethod[]
  calculateTax: TaxCalculator
}

/** What the shop charges besides its products. */
export interface ShopCharges {
  /** What holds now for a destination. Not to be called within a transaction: a tax provider may be asked. */
  chargesTo(destination: TaxDestination): Promise<Charges>
  shippingMethods(): Promise<Charges['shippingMethods']>
  /** Has changed settings read at once. */
  invalidate(): void
}

/** @param taxes instead of the shop's own table of rates */
export function createShopCharges(db: Db, taxes?: TaxProvider): ShopCharges {
  const methods = cachedFor(SETTINGS_CACHE_MS, () => listOfferedMethods(db))
  const settings = cachedFor(SETTINGS_CACHE_MS, () => findTaxSettings(db))
  const provider = taxes ?? {
    calculatorFor: async (destination) => taxByTable((await settings.read()) ?? NO_TAX, destination),
  }
  return {
    chargesTo: async (destination) => {
      const [shippingMethods, calculateTax] = await Promise.all([methods.read(), provider.calculatorFor(destination)])
      return { shippingMethods, calculateTax }
    },
    shippingMethods: methods.read,
    invalidate: () => {
      methods.invalidate()
      settings.invalidate()
    },
  }
}

/** Reads at most once in this time, however many ask. What is being read when it is forgotten is not kept. */
function cachedFor<T>(ms: number, read: () => Promise<T>): { read(): Promise<T>; invalidate(): void } {
  let kept: { value: Promise<T>; until: number } | undefined
  const invalidate = () => {
    kept = undefined
  }
  return {
    read: () => {
      if (kept !== undefined && performance.now() < kept.until) return kept.value
      const value = read()
      const mine = { value, until: performance.now() + ms }
      kept = mine
      value.catch(() => {
        if (kept === mine) invalidate()
      })
      return value
    },
    invalidate,
  }
}
