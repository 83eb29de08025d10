import type { Account } from '@platen/app/session'
import { type CartItem, GUEST, onCartChange, readCart, useAccount } from '@platen/app/session'
import { useSyncExternalStore } from 'react'

const EMPTY: readonly CartItem[] = []

/** The key under which the browser keeps things of a customer. Undefined for a visitor, who has no designs. */
export function ownerOf(account: Account): string | undefined {
  if (account.kind === 'user') return account.user.customerId
  return account.kind === 'guest' ? GUEST : undefined
}

/** What is in the cart of the customer of this session. Every page shows how much it is. */
export function useCartItems(): readonly CartItem[] {
  const owner = ownerOf(useAccount())
  return useSyncExternalStore(onCartChange, () => (owner === undefined ? EMPTY : readCart(owner)))
}
