import type { Product } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { ProductPicture } from './product-picture.tsx'
import { lowestAmount } from './queries.ts'

const SIZES = '(min-width: 1200px) 24rem, (min-width: 700px) 33vw, (min-width: 480px) 50vw, 100vw'

export function ProductCard({ product, isFirst }: { product: Product; isFirst: boolean }) {
  const { text, formats } = useTexts()
  const amount = lowestAmount(product)
  return (
    <li className="card">
      <ProductPicture product={product} sizes={SIZES} isFirst={isFirst} />
      <h2 className="card-name">
        <Link href={`/products/${product.id}`}>{product.name}</Link>
      </h2>
      <p className="card-note">
        {amount === undefined
          ? text('shop.soldOut')
          : text('shop.priceFrom', { price: formats.money({ amount, currency: product.currency }) })}
      </p>
    </li>
  )
}
