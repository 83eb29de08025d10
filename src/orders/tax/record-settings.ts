import { type Editor, type RecordedMembers, recordChange } from '../../change-records/index.ts'
import type { Trx } from '../../platform/db/index.ts'
import type { StoredTaxSettings } from './store.ts'

/** A country and region have one rate. */
const MEMBERS: RecordedMembers<StoredTaxSettings> = {
  values: ['taxIncluded'],
  lists: { rates: ({ country, region }) => (region === undefined ? country : `${country}-${region}`) },
}

interface SettingsChange {
  before: StoredTaxSettings | undefined
  after: StoredTaxSettings
  editor: Editor
}

/** Records who changed which taxes, in the transaction of the change. */
export function recordTaxSettings(trx: Trx, { before, after, editor }: SettingsChange): Promise<void> {
  const subject = { kind: 'tax_settings', id: 'tax_settings' } as const
  return recordChange(trx, {
    ...{ subject, members: MEMBERS, before, after, type: 'changed', editor },
    now: after.updatedAt,
  })
}
