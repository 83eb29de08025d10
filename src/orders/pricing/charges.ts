import { runForAll } from '../../platform/concurrency/request-context.ts'
import type { Db } from '../../platform/db/index.ts'
import type { ShippingMethod } from '../shipping/offers.ts'
import { listOfferedMethods } from '../shipping/store.ts'
import type { TaxCalculator, TaxDestination, TaxProvider } from '../tax/provider.ts'
import { findTaxSettings } from '../tax/store.ts'
import { NO_TAX, taxByTable } from '../tax/tax-table.ts'

/** Time after which a process notices settings that another process has changed. */
const SETTINGS_CACHE_MS = 2_000

export interface Charges {
  shippingMethods: readonly ShippingMethod[]
  calculateTax: TaxCalculator
}

export interface ShopCharges {
  /** Returns the current charges for a destination. May send requests, so call it outside of transactions. */
  chargesTo(destination: TaxDestination): Promise<Charges>
  shippingMethods(): Promise<Charges['shippingMethods']>
  invalidate(): void
}

/** @param taxes source of tax rates; default: the tax table of the shop */
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

/**
 * Caches a value for some time. A value that is being read during an invalidation is not cached. It must not be read in a
 * transaction, whose connection the shared read does not have.
 */
function cachedFor<T>(ms: number, read: () => Promise<T>): { read(): Promise<T>; invalidate(): void } {
  let kept: { value: Promise<T>; until: number } | undefined
  const invalidate = () => {
    kept = undefined
  }
  return {
    read: () => {
      if (kept !== undefined && performance.now() < kept.until) return kept.value
      const value = runForAll(read)
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
