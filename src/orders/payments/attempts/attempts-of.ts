import { guestGroupOf, shareOf } from '../../../platform/fair-share.ts'

/** What counts the payment attempts of an owner that take no money. Those of guests of one network also count together. */
export function attemptsOf(ownerId: string) {
  const own = { userId: ownerId, operation: 'attempt_payment' } as const
  if (guestGroupOf(ownerId) === undefined) return [own]
  return [own, { userId: shareOf(ownerId), operation: 'attempt_payment_of_guests' } as const]
}
