import type { CartItem } from '@platen/app/session'
import { OWN, platen } from '@platen/app/session'
import { PlatenError, type PostalAddressInput, type Quote } from '@platen/client'
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { setRefusals } from '../cart/refusals.ts'
import { useCart } from '../cart/use-cart.ts'
import { orderQuery, payPathOf } from '../orders/queries.ts'
import { addressFaultsOf, refusalsOf } from './faults.ts'

interface QuoteRequest {
  address: PostalAddressInput
  method?: string
  /** Another number asks for a new quote for the same things. */
  attempt: number
}

const quoteQuery = (items: readonly CartItem[], request: QuoteRequest | undefined) =>
  queryOptions({
    queryKey: [OWN, 'quote', request, items],
    queryFn: async ({ signal }): Promise<Quote> => {
      if (request === undefined) throw new Error('A quote needs a postal address')
      const { address, method } = request
      const lines = items.map(({ designId, quantity, data }) => ({
        ...{ designId, quantity },
        ...(data === undefined ? {} : { data }),
      }))
      const chosen = method === undefined ? {} : { shippingMethod: method }
      return platen.quotes.create({ items: lines, shippingAddress: address, ...chosen }, { signal })
    },
    enabled: request !== undefined && items.length > 0,
    // A quote is an offer that stays the same until it expires.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    refetchOnWindowFocus: false,
    // While another shipping method or quantity is quoted, the last quote stays. Another address begins anew.
    placeholderData: (last, query) => {
      const before = query?.queryKey[2] as QuoteRequest | undefined
      return before !== undefined && before.address === request?.address ? last : undefined
    },
  })

interface Purchase {
  quote: Quote
  /** The items of the quote. Until the response, another tab may add further items to the cart. */
  itemIds: readonly string[]
}

/** From a postal address to an order: the quote of the service, the choice of shipping, and the order. */
export function useCheckout() {
  const { items, remove } = useCart()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const [request, setRequest] = useState<QuoteRequest>()
  const [replaced, setReplaced] = useState<Quote>()
  // A second click arrives before the page shows that the first one is under way.
  const isPlacing = useRef(false)
  const quote = useQuery(quoteQuery(items, request))
  const again = (part: Partial<QuoteRequest>): void =>
    setRequest((before) => before && { ...before, ...part, attempt: before.attempt + 1 })
  const order = useMutation({
    // The key belongs to the quote, so that a repeated request, also of another tab, is the same order.
    mutationFn: ({ quote: { id } }: Purchase) =>
      platen.orders.create({ quoteId: id }, { idempotencyKey: `order-${id}` }),
    onSuccess: (created, { itemIds }) => {
      client.setQueryData(orderQuery(created.id).queryKey, created)
      void client.invalidateQueries({ queryKey: [OWN, 'orders'] })
      navigate(payPathOf(created) ?? `/orders/${created.id}`, { replace: true, state: { isNew: true } })
      remove(itemIds)
    },
    onError: (error, { quote: old }) => {
      isPlacing.current = false
      if (!(error instanceof PlatenError)) return
      if (error.code === 'quote_used') navigate(`/orders/${error.orderId}`, { replace: true })
      if (error.code === 'quote_expired' || error.code === 'quote_not_found') {
        setReplaced(old)
        again({})
      }
    },
  })
  const error = quote.error ?? (order.error === null || replaced !== undefined ? null : order.error)
  const refusals = refusalsOf(error, items)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the error determines the refusals
  useEffect(() => {
    if (refusals !== undefined) setRefusals(refusals)
  }, [error])
  return {
    ...{ items, error, hasRefusals: refusals !== undefined },
    addressFaults: addressFaultsOf(error),
    quote: request === undefined ? undefined : quote.data,
    isQuoting: quote.isFetching,
    /** The chosen shipping method, which the quote has as soon as it is there. */
    method: request?.method ?? quote.data?.shippingMethod,
    /** The quote that had expired when the customer ordered. */
    replaced: quote.isPlaceholderData ? undefined : replaced,
    isOrdering: order.isPending || order.isSuccess,
    ask: (address: PostalAddressInput): void => {
      setReplaced(undefined)
      order.reset()
      setRequest((before) => ({ address, attempt: (before?.attempt ?? 0) + 1 }))
    },
    chooseMethod: (method: string): void => {
      setReplaced(undefined)
      order.reset()
      again({ method })
    },
    editAddress: (): void => setRequest(undefined),
    place: (): void => {
      if (quote.data === undefined || quote.isFetching || isPlacing.current) return
      isPlacing.current = true
      setReplaced(undefined)
      order.mutate({ quote: quote.data, itemIds: items.map(({ id }) => id) })
    },
  }
}

export type Checkout = ReturnType<typeof useCheckout>
