import type { Db, Trx } from '../../platform/db/index.ts'

/** How the shop writes to a customer. */
export interface Contact {
  /** The email address of the account, or the one that the shop stored for a customer without an account. */
  email: string | null
  /** Language of mails (BCP 47). */
  locale: string | null
  /** Whether the email address is that of an account, which has confirmed it, or that of a customer of the shop. */
  isConfirmed: boolean
}

/**
 * Finds how to write to a customer. Returns undefined for an erased customer.
 *
 * @param isLocked whether the customer must not be erased before the transaction ends
 */
export async function findContact(
  db: Db | Trx,
  userId: string,
  { isLocked = false }: { isLocked?: boolean } = {},
): Promise<Contact | undefined> {
  const query = db
    .selectFrom('users')
    .select(['kind', 'email', 'contact_email as contactEmail', 'locale'])
    .where('id', '=', userId)
    .where('deleted_at', 'is', null)
  const row = await (isLocked ? query.forShare() : query).executeTakeFirst()
  if (row === undefined) return undefined
  const { kind, locale } = row
  return { email: kind === 'account' ? row.email : row.contactEmail, locale, isConfirmed: kind !== 'guest' }
}
