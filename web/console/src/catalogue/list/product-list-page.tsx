import { Loading, Page } from '@platen/app/frame'
import type { ListProductsQuery } from '@platen/client'
import { EmptyState, Icon, NativeSelect, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Pager } from '../../parts/table/pager.tsx'
import { SearchField } from '../../parts/table/search-field.tsx'
import { usePlace } from '../../parts/table/use-place.ts'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { Failure } from '../../shell/failure.tsx'
import { categoriesQuery, productListQuery } from '../queries.ts'
import { CatalogueViews } from './catalogue-views.tsx'
import { ProductTable } from './product-table.tsx'
import { VariantFileButton } from './variant-file-button.tsx'

type Filter = 'status' | 'category' | 'q'

export function ProductListPage() {
  const { text } = useTexts()
  const state = useTableState<Filter>()
  const [, navigate] = useLocation()
  const products = useQuery(productListQuery(queryOf(state)))
  const categories = useQuery(categoriesQuery()).data ?? []
  const rows = products.data?.data
  const lastOpened = usePlace(state.url, rows !== undefined)
  useShortcuts([
    { keys: 'n', title: 'consoleCatalogue.newProduct', moves: true, run: () => navigate('/catalogue/new') },
  ])
  if (products.error !== null && rows === undefined) {
    return <Failure error={products.error} onRetry={() => void products.refetch()} />
  }
  return (
    <Page
      title={text('console.catalogue')}
      actions={
        <div className="actions main-actions">
          <VariantFileButton status={state.get('status') === 'archived' ? 'archived' : 'active'} />
          <Link href="/catalogue/new" className="pl-button primary">
            <Icon name="plus" size={18} />
            {text('consoleCatalogue.newProduct')}
          </Link>
        </div>
      }
    >
      <CatalogueViews />
      <div className="filters">
        <SearchField
          label={text('consoleCatalogue.search')}
          hint={text('consoleCatalogue.searchHint')}
          value={state.get('q')}
          onChange={(q) => state.change({ q })}
        />
        <NativeSelect
          label={text('consoleCatalogue.category')}
          className="bare"
          choices={categories.map((id) => ({ id, text: id }))}
          value={state.get('category')}
          placeholder={text('consoleCatalogue.allCategories')}
          onChange={(category) => state.change({ category })}
        />
      </div>
      {rows === undefined ? (
        <Loading />
      ) : (
        <>
          {rows.length === 0 ? (
            <EmptyState icon="grid" title={text('consoleCatalogue.noProducts')}>
              {text('consoleCatalogue.noProductsHelp')}
            </EmptyState>
          ) : (
            <ProductTable products={rows} isStale={products.isPlaceholderData} lastOpened={lastOpened} />
          )}
          <Pager state={state} nextCursor={products.data?.nextCursor ?? null} />
        </>
      )}
    </Page>
  )
}

const PAGE_SIZE = 50

/** Leaves out what the service would refuse, because a URL may have been typed. */
function queryOf(state: TableState<Filter>): ListProductsQuery {
  const [q, category, cursor] = [state.get('q').trim(), state.get('category'), state.get('cursor')]
  return {
    limit: PAGE_SIZE,
    status: state.get('status') === 'archived' ? 'archived' : 'active',
    ...(category === '' ? {} : { category }),
    ...(q === '' ? {} : { q }),
    ...(cursor === '' ? {} : { cursor }),
  }
}
