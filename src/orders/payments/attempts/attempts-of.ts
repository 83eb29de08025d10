import { guestGroupOf, shareOf } from '../../../platform/fair-share.ts'

/** What counts the payment attempts of an owner that take no money. Guests of one network count together. */
export function attemptsOf(ownerId: string) {
  const isGuest = guestGroupOf(ownerId) !== undefined
  const operation = isGuest ? ('attempt_payment_of_guests' as const) : ('attempt_payment' as const)
  return { userId: shareOf(ownerId), operation }
}
