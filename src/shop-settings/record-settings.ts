import { type Editor, type RecordedMembers, recordChange } from '../change-records/index.ts'
import type { Trx } from '../platform/db/index.ts'
import type { StoredSettings } from './stored-settings.ts'

const MEMBERS: RecordedMembers<StoredSettings> = {
  values: ['name', 'supportEmail', 'languages', 'accentColor', 'logoAssetId', 'registration'],
}

interface SettingsChange {
  before: StoredSettings
  after: StoredSettings
  editor: Editor
  now: Date
}

/** Records who changed which settings of the shop, in the transaction of the change. */
export function recordSettings(trx: Trx, { before, after, editor, now }: SettingsChange): Promise<void> {
  const subject = { kind: 'shop', id: 'shop', revision: after.revision } as const
  return recordChange(trx, { subject, members: MEMBERS, before, after, type: 'changed', editor, now })
}
