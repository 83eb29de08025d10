import { type Money, minorDigits } from '@platen/ui'

/** An amount in units of the currency, as operators write it. */
export const inUnits = ({ amount, currency }: Money): number => amount / 10 ** minorDigits(currency)

/** An amount in minor units, as the service counts it. */
export const inMinorUnits = (units: number, currency: string): Money => ({
  amount: Math.round(units * 10 ** minorDigits(currency)),
  currency,
})
