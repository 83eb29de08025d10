import { prefixes } from '../ids.ts'

const USER = `${prefixes.user}_`
const CUSTOMER = `${prefixes.customer}_`

/** Returns the id of a user as a customer. Both ids have the same UUID. */
export function customerIdOf(userId: string): string {
  return CUSTOMER + userId.slice(USER.length)
}

/** Returns the id of the user that a customer is. The customer id must be well-formed. */
export function userIdOf(customerId: string): string {
  return USER + customerId.slice(CUSTOMER.length)
}
