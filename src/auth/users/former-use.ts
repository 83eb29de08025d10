import type { Trx } from '../../platform/db/index.ts'
import { chargeFormerUse, recordFormerUse } from '../../platform/storage/index.ts'
import type { KeyDerivation } from '../keys/secrets.ts'
import { emailPseudonym } from './email-pseudonym.ts'

interface Holder {
  id: string
  email: string
}

/**
 * Records for a day how much storage an account uses that gives up its email address. Registering the email address
 * again then gives no new quota.
 */
export async function leaveEmailAddress(
  trx: Trx,
  { keys }: { keys: KeyDerivation },
  { id: ownerId, email }: Holder,
): Promise<void> {
  await recordFormerUse(trx, { ownerId, name: emailPseudonym(keys, email) })
}

/**
 * Charges an account that has just verified its email address for the storage that earlier accounts with this email
 * address use.
 */
export async function takeEmailAddress(
  trx: Trx,
  { keys }: { keys: KeyDerivation },
  { id: ownerId, email }: Holder,
): Promise<void> {
  await chargeFormerUse(trx, { ownerId, name: emailPseudonym(keys, email) })
}
