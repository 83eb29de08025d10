import type { Trx } from '../../platform/db/index.ts'
import { chargeFormerUse, recordFormerUse } from '../../platform/storage/index.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { emailPseudonym } from './email-pseudonym.ts'

interface Holder {
  id: string
  email: string
}

/** Remembers for a day what an account stores that gives up its email address, so that no new quota comes of it. */
export async function leaveEmailAddress(
  trx: Trx,
  { keys }: { keys: KeyDerivation },
  { id: ownerId, email }: Holder,
): Promise<void> {
  await recordFormerUse(trx, { ownerId, name: emailPseudonym(keys, email) })
}

/** Charges an account, which has just proved an email address, for what earlier accounts of that address stored. */
export async function takeEmailAddress(
  trx: Trx,
  { keys }: { keys: KeyDerivation },
  { id: ownerId, email }: Holder,
): Promise<void> {
  await chargeFormerUse(trx, { ownerId, name: emailPseudonym(keys, email) })
}
