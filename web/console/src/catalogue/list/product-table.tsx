import type { Product } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { noteOpened } from '../../parts/table/use-place.ts'
import { Time } from '../../parts/time.tsx'

export interface ProductTableProps {
  products: readonly Product[]
  isStale: boolean
  lastOpened: string | undefined
}

export function ProductTable({ products, isStale, lastOpened }: ProductTableProps) {
  const { text } = useTexts()
  return (
    <DataTable
      label={text('consoleCatalogue.products')}
      columns={useColumns()}
      rows={products}
      keyOf={({ id }) => id}
      isStale={isStale}
      current={lastOpened}
    />
  )
}

function useColumns(): readonly Column<Product>[] {
  const { text, formats } = useTexts()
  return [
    { id: 'product', title: text('consoleCatalogue.product'), cell: (product) => <ProductCell product={product} /> },
    {
      id: 'categories',
      title: text('consoleCatalogue.categories'),
      from: 45,
      cell: ({ categories }) => (categories.length === 0 ? '–' : categories.join(', ')),
    },
    {
      id: 'variants',
      title: text('consoleCatalogue.variantTable'),
      from: 60,
      isNumber: true,
      cell: ({ variants }) => formats.number(variants.length),
    },
    {
      id: 'price',
      title: text('consoleCatalogue.price'),
      isNumber: true,
      cell: (product) => <PriceCell product={product} />,
    },
    {
      id: 'changed',
      title: text('consoleCatalogue.changed'),
      from: 60,
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
  ]
}

function ProductCell({ product: { id, name, images, variants } }: { product: Product }) {
  const { text } = useTexts()
  const [image] = images
  return (
    <span className="product-cell">
      {image === undefined ? (
        <span className="product-picture" aria-hidden />
      ) : (
        <img className="product-picture" src={`${image.url}?width=160`} alt="" loading="lazy" />
      )}
      <span>
        <Link href={`/catalogue/${id}`} className="row-link" data-row onClick={() => noteOpened('/catalogue', id)}>
          {name}
        </Link>
        {variants.some(({ available }) => available) ? null : (
          <span className="cell-note">{text('consoleCatalogue.nothingAvailable')}</span>
        )}
      </span>
    </span>
  )
}

/** The price of a single piece of the cheapest variant. */
function PriceCell({ product: { variants, currency } }: { product: Product }) {
  const { formats } = useTexts()
  const amounts = variants.flatMap(({ priceTiers: [first] }) => first?.unitAmount ?? [])
  return <>{amounts.length === 0 ? '–' : formats.money({ amount: Math.min(...amounts), currency })}</>
}
