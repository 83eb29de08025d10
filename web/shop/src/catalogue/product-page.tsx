import { Loading, Page, part } from '@platen/app/frame'
import type { Product, Variant } from '@platen/client'
import { Banner, Button, Icon, sideName, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { useNewDesign } from '../designs/use-new-design.ts'
import { Failure } from '../shell/failures/failure.tsx'
import { problemText } from '../shell/failures/problem-text.ts'
import { Delivery } from './delivery.tsx'
import { PriceTiers } from './price-tiers.tsx'
import { ProductPicture } from './product-picture.tsx'
import { productQuery } from './queries.ts'
import { TemplateList } from './template-list.tsx'
import { type Chosen, findVariant, firstChoice, VariantChoice } from './variant-choice.tsx'

const Markdown = part(() => import('@platen/app/markdown'), 'Markdown', null)

export function ProductPage({ productId }: { productId: string }) {
  const { text } = useTexts()
  const { data, error, refetch } = useQuery(productQuery(productId))
  if (data !== undefined) return <ProductDetails product={data} />
  if (error === null) return <Loading />
  return <Failure error={error} onRetry={() => void refetch()} missing={text('shop.productMissing')} />
}

function ProductDetails({ product }: { product: Product }) {
  const { text } = useTexts()
  const [chosen, setChosen] = useState<Chosen>(() => firstChoice(product))
  const variant = findVariant(product, chosen)
  return (
    <div className="page wide">
      <Link href="/" className="back">
        <Icon name="arrow-left" size={18} />
        {text('shop.allProducts')}
      </Link>
      <div className="product">
        <Pictures product={product} />
        <Page title={product.name}>
          <p className="lead">{product.description}</p>
          <VariantChoice product={product} chosen={chosen} onChange={setChosen} />
          <DesignIt product={product} variant={variant} />
          {variant === undefined ? null : <PriceTiers tiers={variant.priceTiers} currency={product.currency} />}
          <Delivery currency={product.currency} />
        </Page>
        <div className="about">
          <Facts product={product} />
          {product.descriptionMarkdown === '' ? null : <Markdown source={product.descriptionMarkdown} />}
        </div>
      </div>
      <TemplateList product={product} variantId={isAvailable(product, variant) ? variant?.id : undefined} />
    </div>
  )
}

function isAvailable(product: Product, variant: Variant | undefined): boolean {
  return product.status === 'active' && variant?.available === true
}

function Pictures({ product }: { product: Product }) {
  const { text } = useTexts()
  const [imageId, setImageId] = useState(product.images[0]?.id)
  const image = product.images.find(({ id }) => id === imageId)
  return (
    <div className="pictures">
      <ProductPicture product={product} image={image} sizes="(min-width: 720px) 50vw, 100vw" isFirst />
      {product.images.length < 2 ? null : (
        <ul className="thumbnails">
          {product.images.map(({ id, url, alt }, index) => (
            <li key={id}>
              <Button
                look="quiet"
                aria-label={text('shop.showPicture', { number: index + 1, description: alt })}
                aria-current={id === imageId}
                onPress={() => setImageId(id)}
              >
                <img alt="" src={`${url}?width=160`} />
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function DesignIt({ product, variant }: { product: Product; variant: Variant | undefined }) {
  const texts = useTexts()
  const { text } = texts
  const newDesign = useNewDesign()
  const canDesign = isAvailable(product, variant)
  return (
    <div className="main-action">
      <Button
        look="primary"
        isDisabled={!canDesign}
        isPending={newDesign.isPending}
        onPress={() => {
          if (variant !== undefined) newDesign.mutate({ product, variantId: variant.id })
        }}
      >
        {text('shop.designIt')}
      </Button>
      <p className="note">{text(canDesign ? 'shop.designItNote' : 'shop.notAvailable')}</p>
      {newDesign.error === null ? null : (
        <Banner tone="danger" isLive>
          {problemText(texts, newDesign.error)}
        </Banner>
      )}
    </div>
  )
}

function Facts({ product }: { product: Product }) {
  const { text, formats } = useTexts()
  return (
    <dl className="facts">
      {product.printAreas.map((area) => (
        <div key={area.id}>
          <dt>{sideName(area, text)}</dt>
          <dd>
            {formats.size(area.widthMm, area.heightMm)}
            {area.required ? null : ` (${text('shop.optional')})`}
          </dd>
        </div>
      ))}
    </dl>
  )
}
