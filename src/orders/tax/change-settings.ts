import type { Editor } from '../../change-records/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import { findSubdivision } from '../postal-address/subdivisions.ts'
import { orderProblems } from '../problems.ts'
import { recordTaxSettings } from './record-settings.ts'
import { lockTaxSettings, type StoredTaxSettings, saveTaxSettings } from './store.ts'
import type { TaxRate, TaxSettings } from './tax-table.ts'

/**
 * Replaces the tax settings. Existing quotes and orders do not change.
 *
 * @throws `tax_settings_invalid`
 */
export async function changeTaxSettings(
  trx: Trx,
  settings: TaxSettings,
  { editor, now }: { editor: Editor; now: Date },
): Promise<StoredTaxSettings> {
  const rates = readRates(settings.rates)
  const before = await lockTaxSettings(trx)
  const after = await saveTaxSettings(trx, { ...settings, rates, updatedAt: now })
  await recordTaxSettings(trx, { before, after, editor })
  return after
}

function readRates(rates: readonly TaxRate[]): TaxRate[] {
  const seen = new Set<string>()
  const errors: { code: string; pointer: string; detail: string }[] = []
  const read = rates.map((rate, index) => {
    const code = rate.region === undefined ? undefined : findSubdivision(rate.country, rate.region)
    if (rate.region !== undefined && code === undefined) {
      const detail = `ISO 3166-2 lists no subdivision of ${rate.country} with this code or name.`
      errors.push({ code: 'region_unknown', pointer: `/rates/${index}/region`, detail })
    }
    const place = `${rate.country} ${code ?? rate.region ?? ''}`
    if (seen.has(place)) {
      errors.push({
        code: 'duplicate',
        pointer: `/rates/${index}`,
        detail: 'An earlier rate is for the same country or region.',
      })
    }
    seen.add(place)
    return code === undefined ? rate : { ...rate, region: code }
  })
  if (errors.length > 0) throw orderProblems.tax_settings_invalid({ errors })
  return read
}
