import type { Trx } from '../platform/db/index.ts'
import type { ReceivedFile } from '../platform/http/uploads/receive-upload.ts'
import { newId } from './ids.ts'
import type { ProfileInfo } from './inspection.ts'
import { type ColorProfile, insertColorProfileOnce } from './store.ts'

export const MAX_PROFILE_BYTES = 4 * 1024 * 1024

/** Adds a profile whose bytes are in the storage. If there is a profile with the same bytes, returns that profile. */
export async function addColorProfile(
  trx: Trx,
  { file, info, now }: { file: ReceivedFile; info: ProfileInfo; now: Date },
): Promise<{ profile: ColorProfile; created: boolean }> {
  const { sha256, bytes } = file
  return insertColorProfileOnce(trx, { ...info, id: newId('colorProfile'), sha256, bytes, createdAt: now })
}
