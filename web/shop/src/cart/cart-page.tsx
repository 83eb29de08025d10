import { Loading, MoreTexts, notices, Page } from '@platen/app/frame'
import type { CartItem } from '@platen/app/session'
import { useAccount } from '@platen/app/session'
import { Banner, Button, EmptyState, useTexts } from '@platen/ui'
import { useQueries } from '@tanstack/react-query'
import type { FormEvent } from 'react'
import { Link, useLocation } from 'wouter'
import { KeepHint } from '../designs/keep-hint.tsx'
import { designQuery } from '../designs/queries.ts'
import { CartLine } from './cart-line.tsx'
import { conditionOf, isStuck } from './condition.ts'
import { useRefusals } from './refusals.ts'
import { useCart } from './use-cart.ts'
import { useFullNotice } from './use-full-notices.ts'

export function CartPage() {
  return (
    <MoreTexts groups={['order']}>
      <Cart />
    </MoreTexts>
  )
}

function Cart() {
  const { text } = useTexts()
  const account = useAccount()
  const { items } = useCart()
  if (account.kind === 'unknown') return <Loading />
  return (
    <Page title={text('shop.cart')} width="wide">
      {items.length === 0 ? (
        <EmptyCart />
      ) : (
        <>
          {account.kind === 'guest' ? <KeepHint /> : null}
          <Lines items={items} />
        </>
      )}
    </Page>
  )
}

function EmptyCart() {
  const { text } = useTexts()
  return (
    <EmptyState
      icon="cart"
      title={text('order.cartEmpty')}
      action={
        <div className="row">
          <Link href="/" className="pl-button primary">
            {text('shop.chooseProduct')}
          </Link>
          <Link href="/designs" className="pl-button">
            {text('shop.designs')}
          </Link>
        </div>
      }
    >
      {text('order.cartEmptyHelp')}
    </EmptyState>
  )
}

function Lines({ items }: { items: readonly CartItem[] }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const { remove } = useCart()
  const tellFull = useFullNotice()
  const refusals = useRefusals()
  const designs = useQueries({ queries: items.map(({ designId }) => designQuery(designId)) })
  const lines = items.map((item, index) => {
    const { data: design, error = null } = designs[index] ?? {}
    const refusal = refusals.get(item.id)
    return { item, design, refusal, condition: conditionOf({ design, error, refusal }) }
  })
  const stuck = lines.filter(({ condition }) => isStuck(condition)).length
  const removeItem = (id: string, name: string): void => {
    const restore = remove([id])
    const undo = (): void => {
      if (!restore()) tellFull()
    }
    notices.add({
      text: text('order.itemRemoved', { name }),
      action: { label: text('common.undo'), run: undo },
    })
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    navigate('/checkout')
  }
  return (
    <form className="cart" onSubmit={submit}>
      <ul className="lines">
        {lines.map((line) => (
          <CartLine key={line.item.id} {...line} onRemove={(name) => removeItem(line.item.id, name)} />
        ))}
      </ul>
      <div className="cart-end">
        {stuck === 0 ? null : (
          <Banner tone="warning" isLive>
            {text('order.cartStuck', { count: stuck })}
          </Banner>
        )}
        <p className="note">{text('order.totalsLater')}</p>
        <Button type="submit" look="primary" isDisabled={stuck > 0}>
          {text('order.toCheckout')}
        </Button>
      </div>
    </form>
  )
}
