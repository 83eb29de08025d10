import type { User } from '../../users/store.ts'

/**
 * Returns whether an account blocks its email address for others. An unverified account does not: its registrant may
 * not own the address, whereas the caller verifies the address with the mailed token.
 */
export function isTakenBy(account: User | undefined): boolean {
  if (account === undefined) return false
  return account.emailVerifiedAt !== null || account.disabledAt !== null || account.role !== 'customer'
}
