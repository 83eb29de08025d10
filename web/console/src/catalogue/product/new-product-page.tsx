import { Loading, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { OwnUser, Product } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useLocation, useSearch } from 'wouter'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { lastTableUrl } from '../../parts/table/use-place.ts'
import { CATALOGUE, productListQuery, productQuery } from '../queries.ts'
import { emptyDraft, toDuplicate, toNewBody } from './draft/draft.ts'
import { useProductDraft } from './draft/use-product-draft.ts'
import { ProductForm } from './product-form.tsx'

/** Makes a product from nothing, or like another one. */
export function NewProductPage({ user }: { user: OwnUser }) {
  const from = new URLSearchParams(useSearch()).get('from')
  const model = useQuery({ ...productQuery(from ?? ''), enabled: from !== null })
  const first = useQuery(productListQuery({ limit: 1 }))
  if ((from !== null && model.isPending) || first.isPending) return <Loading />
  const currency = first.data?.data[0]?.currency ?? 'EUR'
  return <NewProductForm key={from ?? ''} model={model.data} currency={currency} user={user} />
}

function NewProductForm({ model, currency, user }: { model: Product | undefined; currency: string; user: OwnUser }) {
  const { text } = useTexts()
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const state = useProductDraft(`${user.id} new ${model?.id}`, undefined, () =>
    model === undefined
      ? emptyDraft(currency, text('consoleCatalogue.areaFront'))
      : toDuplicate(model, text('consoleCatalogue.copyOf', { name: model.name })),
  )
  const create = useMutation<Product, Error>({
    mutationFn: () => platen.products.create(toNewBody(state.draft)),
    onSuccess: async (made) => {
      state.discard()
      client.setQueryData(productQuery(made.id).queryKey, made)
      navigate(`/catalogue/${made.id}`, { state: { isNew: true } })
      await client.invalidateQueries({ queryKey: [...CATALOGUE, 'list'] })
    },
    onError: state.failed,
  })
  return (
    <>
      <Crumbs back={{ href: lastTableUrl('/catalogue'), text: text('console.catalogue') }} />
      <Page title={text('consoleCatalogue.newProduct')}>
        <ProductForm
          state={state}
          action={create}
          confirmLabel={text('consoleCatalogue.create')}
          onSave={() => create.mutate()}
        />
      </Page>
    </>
  )
}
