import { Page, shopName } from '@platen/app/frame'
import type { Product } from '@platen/client'
import { Button, EmptyState, Icon, Skeleton, useText } from '@platen/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { Failure } from '../shell/failures/failure.tsx'
import { ProductCard } from './product-card.tsx'
import { catalogueQuery } from './queries.ts'

export function CataloguePage() {
  const text = useText()
  const search = new URLSearchParams(useSearch())
  const filter = { category: search.get('category') ?? undefined, q: search.get('q') ?? undefined }
  const all = useInfiniteQuery(catalogueQuery({ category: undefined, q: undefined }))
  const found = useInfiniteQuery(catalogueQuery(filter))
  const categories = categoriesOf(all.data?.pages.flatMap(({ data }) => data) ?? [])
  const products = found.data?.pages.flatMap(({ data }) => data)
  if (found.isError) return <Failure error={found.error} onRetry={() => void found.refetch()} />
  return (
    <Page title={shopName} isHeadingHidden width="wide">
      <p className="claim">{text('shop.claim')}</p>
      <Filters filter={filter} categories={categories} hasMany={(all.data?.pages[0]?.data.length ?? 0) > 8} />
      <p className="visually-hidden" role="status">
        {products === undefined ? text('common.loading') : text('shop.productCount', { count: products.length })}
      </p>
      {products?.length === 0 ? (
        <NothingFound isFiltered={filter.category !== undefined || filter.q !== undefined} />
      ) : null}
      <ul className="cards">
        {products?.map((product, index) => <ProductCard key={product.id} product={product} isFirst={index < 3} />) ?? (
          <CardSkeletons />
        )}
      </ul>
      {found.hasNextPage ? (
        <div className="more">
          <Button isPending={found.isFetchingNextPage} onPress={() => void found.fetchNextPage()}>
            {text('common.showMore')}
          </Button>
        </div>
      ) : null}
    </Page>
  )
}

const categoriesOf = (products: readonly Product[]): string[] =>
  [...new Set(products.flatMap(({ categories }) => categories))].sort((a, b) => a.localeCompare(b))

interface FiltersProps {
  filter: { category: string | undefined; q: string | undefined }
  categories: readonly string[]
  hasMany: boolean
}

/** A shop with few products needs no search, and one without categories no choice of them. */
function Filters({ filter, categories, hasMany }: FiltersProps) {
  const text = useText()
  if (!hasMany && categories.length < 2 && filter.q === undefined) return null
  return (
    <div className="filters">
      {categories.length < 2 ? null : (
        <nav aria-label={text('shop.categories')} className="chips">
          {[undefined, ...categories].map((category) => (
            <Link
              key={category ?? ''}
              href={category === undefined ? '/' : `/?category=${encodeURIComponent(category)}`}
              className="chip"
              {...(category === filter.category && filter.q === undefined ? { 'aria-current': 'page' } : {})}
            >
              {category ?? text('shop.allProducts')}
            </Link>
          ))}
        </nav>
      )}
      {hasMany || filter.q !== undefined ? <SearchForm key={filter.q} value={filter.q ?? ''} /> : null}
    </div>
  )
}

function SearchForm({ value }: { value: string }) {
  const text = useText()
  const [, navigate] = useLocation()
  const [q, setQ] = useState(value)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    navigate(q.trim() === '' ? '/' : `/?q=${encodeURIComponent(q.trim())}`)
  }
  return (
    <search>
      <form className="search" onSubmit={submit}>
        <input
          type="search"
          className="pl-input"
          aria-label={text('shop.search')}
          placeholder={text('shop.search')}
          maxLength={100}
          value={q}
          onChange={(event) => setQ(event.target.value)}
        />
        <Button type="submit" isIcon aria-label={text('shop.search')}>
          <Icon name="search" size={20} />
        </Button>
      </form>
    </search>
  )
}

function NothingFound({ isFiltered }: { isFiltered: boolean }) {
  const text = useText()
  return (
    <EmptyState
      icon={isFiltered ? 'search' : 'package'}
      title={text(isFiltered ? 'shop.nothingFound' : 'shop.noProducts')}
      action={
        isFiltered ? (
          <Link href="/" className="pl-button">
            {text('shop.allProducts')}
          </Link>
        ) : null
      }
    />
  )
}

const CARD_SKELETONS = ['a', 'b', 'c', 'd', 'e', 'f']

function CardSkeletons() {
  return CARD_SKELETONS.map((key) => (
    <li className="card" key={key}>
      <div className="picture">
        <Skeleton shape="block" />
      </div>
      <Skeleton />
    </li>
  ))
}
