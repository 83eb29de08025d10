import type { Trx } from '../platform/db/index.ts'
import { httpProblems } from '../platform/http/problems.ts'
import { newId } from '../platform/ids.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { ReceivedFile } from '../platform/uploads/receive-upload.ts'
import type { InspectProfile, ProfileInfo } from './inspection.ts'
import { colorProfileProblems } from './problems.ts'
import { type ColorProfile, insertColorProfileOnce } from './store.ts'

/** The largest file that is accepted. */
export const MAX_PROFILE_BYTES = 4 * 1024 * 1024

const RETRY_SECONDS = 3

/**
 * Finds out what a received file is, and refuses what no print file can name.
 *
 * @throws `color_profile_unsupported`, `color_profile_unreadable`, `service_unavailable`
 */
export async function examineProfile(inspect: InspectProfile, file: { path: string }): Promise<ProfileInfo> {
  const inspection = await inspect(file)
  if (inspection.outcome === 'accepted') return inspection.info
  if (inspection.outcome === 'busy') {
    throw httpProblems.service_unavailable({
      detail: 'Too many files are being examined at the moment.',
      headers: { 'Retry-After': String(RETRY_SECONDS) },
    })
  }
  throw colorProfileProblems[inspection.outcome](inspection.detail)
}

/** Adds a profile whose bytes the storage has already taken over, or answers the one with the same bytes. */
export async function addColorProfile(
  trx: Trx,
  storage: Pick<Storage, 'hold'>,
  { file, info, now }: { file: ReceivedFile; info: ProfileInfo; now: Date },
): Promise<{ profile: ColorProfile; created: boolean }> {
  const { sha256, bytes } = file
  await storage.hold(trx, [sha256])
  return insertColorProfileOnce(trx, { ...info, id: newId('colorProfile'), sha256, bytes, createdAt: now })
}
