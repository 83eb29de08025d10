import { findContact } from '../../auth/index.ts'
import { isErased, type Order } from '../../orders/index.ts'
import type { Db, Trx } from '../../platform/db/index.ts'
import type { SkipReason } from '../store.ts'

export type Recipient =
  | {
      email: string
      locale: string | null
      /** Whether the address is known to be that of the customer. */
      isConfirmed: boolean
    }
  | { skip: SkipReason }

/**
 * Finds to whom the mails of an order go: the email address of the order, or else that of its customer.
 *
 * @param isLocked whether the customer must not be erased before the transaction ends
 */
export async function findRecipient(
  db: Db | Trx,
  { ownerId, shippingAddress }: Order,
  options: { isLocked?: boolean } = {},
): Promise<Recipient> {
  const contact = await findContact(db, ownerId, options)
  if (contact === undefined) return { skip: 'customer_erased' }
  if (isErased(shippingAddress)) return { skip: 'order_erased' }
  const email = shippingAddress.email ?? contact.email
  if (email === null) return { skip: 'no_email_address' }
  const isOwn = email.toLowerCase() === contact.email?.toLowerCase()
  return { email, locale: contact.locale, isConfirmed: contact.isConfirmed && isOwn }
}
