import { Loading, Page } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import type { Design, Finalization, Product } from '@platen/client'
import { Banner, Button, Icon, sideName, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link, Redirect } from 'wouter'
import { useAddToCart } from '../cart/use-add-to-cart.ts'
import { ownerOf, useCartItems } from '../cart/use-cart-items.ts'
import { PriceTiers } from '../catalogue/price-tiers.tsx'
import { productQuery } from '../catalogue/queries.ts'
import { Failure } from '../shell/failures/failure.tsx'
import { problemText } from '../shell/failures/problem-text.ts'
import { KeepHint } from './keep-hint.tsx'
import { Preview } from './preview.tsx'
import { designQuery, printLinkQuery } from './queries.ts'
import { RowsInCart } from './rows-in-cart.tsx'
import { useDuplicate, useNewDesign } from './use-new-design.ts'

const PREVIEW_WIDTH = 960

/** What the customer gets: pictures of all sides, the print file, and the price. */
export function FinishedPage({ designId }: { designId: string }) {
  const { text } = useTexts()
  const account = useAccount()
  const { data, error, isFetching, refetch } = useQuery({
    ...designQuery(designId),
    enabled: account.kind !== 'none',
  })
  const finalization = data?.finalization
  if (data !== undefined && finalization) return <Finished design={data} finalization={finalization} />
  // After the editor, the cache has the design as it was before it was finalized, and reads it again.
  if (data !== undefined && !isFetching) return <Redirect to={`/designs/${designId}`} replace />
  if (account.kind === 'none') return <Redirect to={`/sign-in?next=/designs/${designId}/finished`} replace />
  if (error === null) return <Loading />
  return <Failure error={error} onRetry={() => void refetch()} missing={text('shop.problemDesignNotFound')} />
}

interface FinishedProps {
  design: Design
  finalization: Finalization
}

function Finished({ design, finalization }: FinishedProps) {
  const { text } = useTexts()
  const account = useAccount()
  const { data: product } = useQuery(productQuery(design.productId))
  return (
    <Page title={design.name} width="wide">
      <div className="finished">
        <Sides design={design} finalization={finalization} product={product} />
        <div className="finished-facts">
          <Banner tone="good">{text('shop.finishedText')}</Banner>
          {account.kind === 'guest' || account.kind === 'user' ? <RowsInCart design={design} /> : null}
          <AddToCart design={design} />
          {account.kind === 'guest' ? <KeepHint /> : null}
          <PrintFile design={design} finalization={finalization} />
          <Checks finalization={finalization} />
          <Price finalization={finalization} />
          <NextSteps design={design} product={product} />
        </div>
      </div>
    </Page>
  )
}

function Sides({ design, finalization, product }: FinishedProps & { product: Product | undefined }) {
  const { text } = useTexts()
  const printed = new Set(finalization.files.map(({ printAreaId }) => printAreaId))
  return (
    <ul className="sides">
      {product?.printAreas
        .filter(({ id }) => printed.has(id))
        .map((area) => (
          <li key={area.id}>
            <figure>
              <Preview
                design={design}
                area={area}
                width={PREVIEW_WIDTH}
                label={text('shop.previewOf', { name: design.name, area: sideName(area, text) })}
              />
              <figcaption>{sideName(area, text)}</figcaption>
            </figure>
          </li>
        ))}
    </ul>
  )
}

function AddToCart({ design }: { design: Design }) {
  const { text } = useTexts()
  const addToCart = useAddToCart()
  const owner = ownerOf(useAccount())
  const isInCart = useCartItems().some(({ designId }) => designId === design.id)
  if (design.status !== 'finalized') return null
  return (
    <>
      {isInCart ? (
        <Link href="/cart" className="pl-button primary">
          {text('shop.toCart')}
        </Link>
      ) : null}
      {/* The design may be there before the account, and each account has its own cart. */}
      <Button look={isInCart ? 'normal' : 'primary'} isDisabled={owner === undefined} onPress={() => addToCart(design)}>
        <Icon name="cart" size={20} />
        {text('shop.addToCart')}
      </Button>
    </>
  )
}

function PrintFile({ design, finalization }: FinishedProps) {
  const texts = useTexts()
  const { text, formats } = texts
  const link = useQuery(printLinkQuery(design.id))
  const file = finalization.files.find(({ kind }) => kind === 'print')
  if (file === undefined) return null
  const facts = [text('shop.pageCount', { count: file.pages ?? 1 }), formats.bytes(file.bytes)]
  return (
    <section>
      <h2>{text('shop.printFile')}</h2>
      <p className="note">{facts.join(' · ')}</p>
      {link.isError ? <Banner tone="danger">{problemText(texts, link.error)}</Banner> : null}
      {link.data === undefined ? null : (
        <a className="pl-button" href={link.data.url} download>
          <Icon name="download" size={20} />
          {text('shop.downloadPrintFile')}
        </a>
      )}
    </section>
  )
}

function Checks({ finalization }: { finalization: Finalization }) {
  const { text } = useTexts()
  const count = finalization.warnings.length
  return (
    <section>
      <h2>{text('shop.checks')}</h2>
      <p className="check-line">
        <Icon name={count === 0 ? 'check' : 'info'} size={20} />
        {count === 0 ? text('shop.checksClean') : text('shop.checksWarnings', { count })}
      </p>
      {count === 0 ? null : (
        <ul className="warnings">
          {finalization.warnings.map(({ code, pointer, message }) => (
            <li key={`${code}${pointer}`}>{message}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

function Price({ finalization }: { finalization: Finalization }) {
  const { text, formats } = useTexts()
  const { priceTiers, currency, validUntil } = finalization.price
  return (
    <section>
      <PriceTiers tiers={priceTiers} currency={currency} />
      <p className="note">{text('shop.priceValidUntil', { date: formats.date(validUntil) })}</p>
    </section>
  )
}

function NextSteps({ design, product }: { design: Design; product: Product | undefined }) {
  const texts = useTexts()
  const { text } = texts
  const another = useNewDesign()
  const change = useDuplicate()
  const error = another.error ?? change.error
  return (
    <section>
      <div className="row">
        <Button isPending={change.isPending} onPress={() => change.mutate(design.id)}>
          <Icon name="edit" size={20} />
          {text('shop.changeIt')}
        </Button>
        <Button
          isDisabled={product?.status !== 'active'}
          isPending={another.isPending}
          onPress={() => {
            if (product !== undefined) another.mutate({ product, variantId: design.variantId })
          }}
        >
          <Icon name="plus" size={20} />
          {text('shop.designAnother')}
        </Button>
      </div>
      <p className="note">{text('shop.changeItNote')}</p>
      {error === null ? null : (
        <Banner tone="danger" isLive>
          {problemText(texts, error)}
        </Banner>
      )}
    </section>
  )
}
