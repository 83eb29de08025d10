import { OWN, platen, session } from '@platen/app/session'
import type { Product, Template } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation } from 'wouter'

export interface NewDesign {
  product: Pick<Product, 'id' | 'name'>
  variantId: string
  template?: Pick<Template, 'id' | 'name'>
}

/** Starts a session without an account if there is none, creates a design, and opens it in the editor. */
export function useNewDesign() {
  const { text, formats } = useTexts()
  const [, navigate] = useLocation()
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ product, variantId, template }: NewDesign) => {
      await session.ensure()
      const name = text('shop.newDesignName', {
        product: template?.name ?? product.name,
        date: formats.date(new Date()),
      })
      return platen.designs.create({
        ...{ productId: product.id, variantId, name: name.slice(0, 200) },
        ...(template === undefined ? {} : { templateId: template.id }),
      })
    },
    onSuccess: (design) => {
      client.setQueryData([OWN, 'design', design.id], design)
      void client.invalidateQueries({ queryKey: [OWN, 'designs'] })
      navigate(`/designs/${design.id}`)
    },
  })
}

/** Copies a design, and opens the copy in the editor. */
export function useDuplicate() {
  const [, navigate] = useLocation()
  const client = useQueryClient()
  return useMutation({
    mutationFn: (designId: string) => platen.designs.duplicate(designId),
    onSuccess: (design) => {
      client.setQueryData([OWN, 'design', design.id], design)
      void client.invalidateQueries({ queryKey: [OWN, 'designs'] })
      navigate(`/designs/${design.id}`)
    },
  })
}
