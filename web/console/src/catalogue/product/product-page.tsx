import { Loading, notices, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { OwnUser, Product } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { RecordHeading } from '../../parts/page/record-heading.tsx'
import { Pill } from '../../parts/pill.tsx'
import { lastTableUrl, noteOpened } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { CATALOGUE, productQuery } from '../queries.ts'
import { changesOf, toDraft } from './draft/draft.ts'
import { useFieldTexts } from './draft/field-texts.ts'
import { useProductDraft } from './draft/use-product-draft.ts'
import { ProductForm } from './product-form.tsx'
import { StatusButton } from './status-button.tsx'

export function ProductPage({ productId, user }: { productId: string; user: OwnUser }) {
  const { text } = useTexts()
  const product = useQuery(productQuery(productId))
  const back = { href: lastTableUrl('/catalogue'), text: text('console.catalogue') }
  if (product.error !== null && product.data === undefined) {
    return (
      <Failure
        error={product.error}
        onRetry={() => void product.refetch()}
        missing={text('consoleCatalogue.missing')}
        back={back}
      />
    )
  }
  if (product.data === undefined) return <Loading />
  noteOpened('/catalogue', productId)
  return (
    <>
      <Crumbs back={back} />
      <LoadedPage product={product.data} user={user} />
    </>
  )
}

function LoadedPage({ product, user }: { product: Product; user: OwnUser }) {
  const { text } = useTexts()
  const client = useQueryClient()
  const fields = useFieldTexts(product)
  const state = useProductDraft(`${user.id} ${product.id}`, product, () => toDraft(product))
  const save = useMutation<Product, Error>({
    mutationFn: () =>
      platen.products.change(product.id, changesOf(state.base, state.draft), {
        ifMatch: `"${state.product?.revision ?? product.revision}"`,
      }),
    onSuccess: (saved) => {
      state.saved(saved)
      client.setQueryData(productQuery(product.id).queryKey, saved)
      notices.add({ text: text('consoleCatalogue.saved'), tone: 'good' })
      return client.invalidateQueries({ queryKey: CATALOGUE })
    },
    onError: state.failed,
  })
  const duplicate = `/catalogue/new?from=${product.id}`
  const [, navigate] = useLocation()
  useShortcuts([{ title: 'consoleCatalogue.duplicate', run: () => navigate(duplicate) }])
  return (
    <Page
      title={product.name}
      heading={<Heading product={product} />}
      actions={
        <div className="actions">
          <Link className="pl-button" href={duplicate}>
            {text('consoleCatalogue.duplicate')}
          </Link>
          <StatusButton product={product} isDisabled={state.isChanged} />
        </div>
      }
    >
      <NextSteps product={product} />
      <ProductForm
        state={state}
        action={save}
        confirmLabel={text('common.save')}
        onSave={() => {
          if (state.isChanged) save.mutate()
        }}
      >
        <HistorySection queryKey={CATALOGUE} subject="product" subjectId={product.id} fields={fields} />
      </ProductForm>
    </Page>
  )
}

/** What to do with a product that has just been created. */
function NextSteps({ product: { id, name } }: { product: Product }) {
  const { text } = useTexts()
  const isNew = useHistoryState<{ isNew?: boolean } | null>()?.isNew === true
  if (!isNew) return null
  return (
    <Banner tone="good" isLive>
      <p>{text('consoleCatalogue.created', { name })}</p>
      <p>{text('consoleCatalogue.createdNext')}</p>
      <p>
        <a href={`/products/${id}`} target="_blank" rel="noreferrer">
          {text('consoleCatalogue.showInShop')}
        </a>
      </p>
    </Banner>
  )
}

function Heading({ product: { name, status } }: { product: Product }) {
  const { text } = useTexts()
  return (
    <RecordHeading>
      {name}
      <Pill tone={status === 'active' ? 'good' : 'neutral'}>
        {text(status === 'active' ? 'consoleCatalogue.active' : 'consoleCatalogue.archived')}
      </Pill>
    </RecordHeading>
  )
}
