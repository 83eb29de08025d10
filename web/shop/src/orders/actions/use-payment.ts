import { platen } from '@platen/app/session'
import { type Order, PlatenConnectionError, PlatenError } from '@platen/client'
import { useEffect, useRef, useState } from 'react'
import { UnusablePage, UnusableStep } from './order-problem-text.ts'
import { useOrderAction } from './use-order-action.ts'

/**
 * Pays an order, here or on the page of the payment provider, to which the browser then goes. A payment whose result is
 * not known is repeated under its key, so that it is charged once.
 */
export function usePayment({ id }: Pick<Order, 'id'>) {
  const key = useRef(crypto.randomUUID())
  // A second click arrives before the page shows that the first one is under way.
  const isPaying = useRef(false)
  const [isLeaving, setLeaving] = useState(false)
  const action = useOrderAction(id, async (token: string | undefined) => {
    const order = await platen.orders.pay(id, token === undefined ? undefined : { token }, {
      idempotencyKey: `pay-${key.current}`,
      // The customer decides whether to try again.
      maxRetries: 0,
    })
    requireUsable(order)
    return order
  })
  const { reset } = action
  useReturn(() => {
    isPaying.current = false
    setLeaving(false)
    reset()
  })
  return {
    error: action.error,
    isPending: action.isPending || isLeaving,
    isDone: action.isSuccess && !isLeaving,
    run: (token: string | undefined, onDone: (order: Order) => void): void => {
      if (isPaying.current) return
      isPaying.current = true
      action.mutate(token, {
        onSuccess: (order) => {
          const url = order.payment.nextAction?.redirectUrl
          if (url === undefined) {
            isPaying.current = false
            return onDone(order)
          }
          setLeaving(true)
          location.assign(url)
        },
        onError: (error) => {
          isPaying.current = false
          if (isKnown(error)) key.current = crypto.randomUUID()
        },
      })
    },
  }
}

/** Whether the response has arrived. */
function isKnown(error: unknown): boolean {
  if (error instanceof UnusablePage || error instanceof UnusableStep) return true
  return error instanceof PlatenError && !(error instanceof PlatenConnectionError)
}

/** Whether a bank decides about a payment later, without the customer. */
export const isProcessing = ({ payment }: Order): boolean => payment.nextAction?.type === 'processing'

/**
 * @throws {UnusablePage} as `requireWebPage` does
 * @throws {UnusableStep} if the customer must act in a way that the shop does not offer
 */
function requireUsable(order: Order): void {
  const { nextAction } = order.payment
  requireWebPage(nextAction?.redirectUrl)
  if (nextAction !== undefined && nextAction.redirectUrl === undefined && !isProcessing(order)) throw new UnusableStep()
}

/** @throws {UnusablePage} if a URL does not lead to a page on the web, but for example to a script */
function requireWebPage(url: string | undefined): void {
  if (url === undefined) return
  const protocol = URL.parse(url)?.protocol
  // Only shops on this computer are without TLS.
  if (protocol !== 'https:' && (protocol !== 'http:' || location.protocol !== 'http:')) throw new UnusablePage()
}

/** Calls a function when the browser shows a page again that it had kept in memory, as after its back button. */
function useReturn(onReturn: () => void): void {
  const current = useRef(onReturn)
  useEffect(() => {
    current.current = onReturn
  })
  useEffect(() => {
    const listen = ({ persisted }: PageTransitionEvent): void => {
      if (persisted) current.current()
    }
    addEventListener('pageshow', listen)
    return () => removeEventListener('pageshow', listen)
  }, [])
}
