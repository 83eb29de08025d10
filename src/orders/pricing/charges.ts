import type { Db } from '../../platform/db/index.ts'
import type { ShippingMethod } from '../shipping/offers.ts'
import { listOfferedMethods } from '../shipping/store.ts'
import type { TaxCalculator, TaxDestination, TaxProvider } from '../tax/provider.ts'
import { findTaxSettings } from '../tax/store.ts'
import { NO_TAX, taxByTable } from '../tax/tax-table.ts'

/** How long a process may go on with settings that were changed on another one. */
const SETTINGS_KEPT_MS = 2_000

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
  forget(): void
}

/** @param taxes instead of the shop's own table of rates */
export function createShopCharges(db: Db, taxes?: TaxProvider): ShopCharges {
  const methods = keptFor(SETTINGS_KEPT_MS, () => listOfferedMethods(db))
  const settings = keptFor(SETTINGS_KEPT_MS, () => findTaxSettings(db))
  const provider = taxes ?? {
    calculatorFor: async (destination) => taxByTable((await settings.read()) ?? NO_TAX, destination),
  }
  return {
    chargesTo: async (destination) => {
      const [shippingMethods, calculateTax] = await Promise.all([methods.read(), provider.calculatorFor(destination)])
      return { shippingMethods, calculateTax }
    },
    shippingMethods: methods.read,
    forget: () => {
      methods.forget()
      settings.forget()
    },
  }
}

/** Reads at most once in this time, however many ask. What is being read when it is forgotten is not kept. */
function keptFor<T>(ms: number, read: () => Promise<T>): { read(): Promise<T>; forget(): void } {
  let kept: { value: Promise<T>; until: number } | undefined
  const forget = () => {
    kept = undefined
  }
  return {
    read: () => {
      if (kept !== undefined && performance.now() < kept.until) return kept.value
      const value = read()
      const mine = { value, until: performance.now() + ms }
      kept = mine
      value.catch(() => {
        if (kept === mine) forget()
      })
      return value
    },
    forget,
  }
}
