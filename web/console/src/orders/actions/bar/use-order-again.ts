import type { Order, OwnUser } from '@platen/client'
import type { MessageKey } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { customerQuery } from '../../../customers/queries.ts'
import { mayOrder } from '../../new/may-order.ts'

/** The page on which the same is ordered again, or why that is not possible. */
export type OrderAgain = { href: string } | { reason: MessageKey }

/** Tells how an order is placed again. Undefined: the role of the user does not order for customers. */
export function useOrderAgain(order: Order, user: OwnUser): OrderAgain | undefined {
  const isAllowed = mayOrder(user)
  const customer = useQuery({ ...customerQuery(order.customerId), enabled: isAllowed }).data
  if (!isAllowed || customer === undefined) return undefined
  if (customer.hasAccount) return { reason: 'console.againAccount' }
  if (customer.guest) return { reason: 'console.againGuest' }
  return { href: `/orders/new?again=${order.id}` }
}
