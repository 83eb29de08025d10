import type { User } from '../../users/store.ts'

/**
 * Whether an account keeps its address from becoming another's. One that was registered but never verified does not:
 * anybody can register any address, and whoever follows the link has proved that it is theirs.
 */
export function isTakenBy(account: User | undefined): boolean {
  if (account === undefined) return false
  return account.emailVerifiedAt !== null || account.disabledAt !== null || account.role !== 'customer'
}
