import { type Editor, type RecordedMembers, recordChange } from '../change-records/index.ts'
import type { Trx } from '../platform/db/index.ts'
import type { ColorProfile } from './store.ts'

/** The hash names the file, also after the profile was deleted. */
const MEMBERS: RecordedMembers<ColorProfile> = { values: ['description', 'colorSpace', 'bytes', 'sha256'] }

/** Records who added or deleted a profile, in the transaction of the change. */
export function recordProfile(
  trx: Trx,
  profile: ColorProfile,
  { type, editor, now }: { type: 'created' | 'deleted'; editor: Editor; now: Date },
): Promise<void> {
  const subject = { kind: 'color_profile', id: profile.id, name: profile.description } as const
  const versions = type === 'created' ? { before: undefined, after: profile } : { before: profile, after: undefined }
  return recordChange(trx, { subject, members: MEMBERS, ...versions, type, editor, now })
}
