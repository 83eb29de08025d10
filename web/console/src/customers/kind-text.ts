import type { Customer } from '@platen/client'
import type { Texts } from '@platen/ui'

/** Says whether a customer can sign in, visits without an account, or was created by the shop. */
export function kindText(
  { text }: Pick<Texts, 'text'>,
  { hasAccount, guest }: Pick<Customer, 'hasAccount' | 'guest'>,
): string {
  if (hasAccount) return text('console.hasAccount')
  return text(guest ? 'console.isGuest' : 'console.isOfShop')
}
