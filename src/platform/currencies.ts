const DIGITS: readonly [digits: number, currencies: string][] = [
  [0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'],
  [3, 'BHD IQD JOD KWD LYD OMR TND'],
  [4, 'CLF UYW'],
]
const digitsOf = new Map(
  DIGITS.flatMap(([digits, currencies]) => currencies.split(' ').map((code) => [code, digits] as const)),
)

/**
 * Returns the number of decimals of a currency: 2 for EUR, 0 for JPY, 3 for KWD. Source: ISO 4217, list one. `Intl`
 * follows custom instead: it has no decimals for HUF, although the standard and payment providers count hundredths.
 */
export function minorDigits(currency: string): number {
  return digitsOf.get(currency) ?? 2
}
