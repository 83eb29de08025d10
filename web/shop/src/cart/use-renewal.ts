import type { CartItem } from '@platen/app/session'
import { OWN, platen } from '@platen/app/session'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { clearRefusal } from './refusals.ts'
import { useCart } from './use-cart.ts'

/** Makes an item orderable again: finalizes its design, or a copy of a design that was deleted. */
export function useRenewal(item: CartItem) {
  const cart = useCart()
  const client = useQueryClient()
  return useMutation({
    mutationFn: async (condition: 'expired' | 'deleted') => {
      const id = condition === 'expired' ? item.designId : (await platen.designs.duplicate(item.designId)).id
      return platen.designs.finalize(id)
    },
    onSuccess: (design) => {
      client.setQueryData([OWN, 'design', design.id], design)
      if (design.id !== item.designId) {
        cart.change(item.id, { designId: design.id })
        void client.invalidateQueries({ queryKey: [OWN, 'designs'] })
      }
      clearRefusal(item.id)
    },
  })
}
