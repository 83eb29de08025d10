import type { User } from '../../users/store.ts'

/**
 * Whether an account keeps its email address from becoming another's. An unverified account does not: its registrant may
 * not own the address, whereas following the mailed link verifies that the caller does.
 */
export function isTakenBy(account: User | undefined): boolean {
  if (account === undefined) return false
  return account.emailVerifiedAt !== null || account.disabledAt !== null || account.role !== 'customer'
}
