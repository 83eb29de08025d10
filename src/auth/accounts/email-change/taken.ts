import type { User } from '../../users/store.ts'

/**
 * Returns whether an account keeps other accounts from using its email address. An unverified account of a customer
 * does not, because it may have been registered with another person's email address, whereas the caller confirms the
 * address with a mailed token.
 */
export function isTakenBy(account: User | undefined): boolean {
  if (account === undefined) return false
  return account.emailVerifiedAt !== null || account.disabledAt !== null || account.role !== 'customer'
}
