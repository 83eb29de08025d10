import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { type CreateQuoteRequest, PlatenError, type Quote } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { noteOwnChanges } from '../../live/unread-events.ts'
import { designsOf } from './queries.ts'

/** Calculates what an order for a customer costs, and places it. */
export function useNewOrder(customer: string) {
  const { text } = useTexts()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const renew = async ({ items }: CreateQuoteRequest): Promise<void> => {
    for (const id of new Set(items.map(({ designId }) => designId))) {
      const { revision } = await platen.designs.finalize(id, { customer })
      noteOwnChanges(client, [{ id, after: revision - 1, until: revision }])
    }
    await client.invalidateQueries({ queryKey: designsOf(customer) })
    notices.add({ text: text('consoleNewOrder.pricesRenewed'), tone: 'info' })
  }
  const quote = useMutation({
    mutationFn: async (basket: CreateQuoteRequest): Promise<Quote> => {
      try {
        return await platen.quotes.create(basket, { customer })
      } catch (error) {
        if (!(error instanceof PlatenError) || error.code !== 'price_expired') throw error
        await renew(basket)
        return platen.quotes.create(basket, { customer })
      }
    },
  })
  const place = useMutation({
    mutationFn: async (quoteId: string) => platen.orders.create({ quoteId }, { customer }),
    onSuccess: ({ id, revision }) => {
      noteOwnChanges(client, [{ id, until: revision }])
      navigate(`/orders/${id}`)
    },
  })
  return { quote, place }
}
