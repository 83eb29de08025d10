import { MAX_ITEMS } from '@platen/app/session'
import type { Design } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { useEffect, useState } from 'react'
import { Link } from 'wouter'
import { type Cart, useCart } from '../cart/use-cart.ts'
import { keepRows, readRows } from './stored-rows.ts'

/** Puts the rows of a CSV file into the cart once their design is finished, and says how many. */
export function RowsInCart({ design }: { design: Design }) {
  const { text } = useTexts()
  const cart = useCart()
  const [counts, setCounts] = useState({ added: 0, leftOut: 0 })
  // biome-ignore lint/correctness/useExhaustiveDependencies: each change of the cart makes another object of it
  useEffect(() => {
    const next = putRows(design, cart)
    if (next !== undefined) setCounts(next)
  }, [design.id, design.status])
  const { added, leftOut } = counts
  return (
    <>
      {added === 0 ? null : (
        <Banner
          tone="good"
          isLive
          action={
            <Link href="/cart" className="pl-button primary">
              {text('shop.toCart')}
            </Link>
          }
        >
          {text('shop.rowsInCart', { count: added })}
        </Banner>
      )}
      {leftOut === 0 ? null : (
        <Banner tone="danger" isLive>
          {text('shop.cartLeftOut', { count: leftOut, limit: MAX_ITEMS })}
        </Banner>
      )}
    </>
  )
}

/** Rows that do not fit stay, and are put into the cart when the customer opens the page of the design again. */
function putRows({ id, status, finalization }: Design, cart: Cart): { added: number; leftOut: number } | undefined {
  const rows = readRows(id)
  if (rows.length === 0 || status !== 'finalized') return undefined
  // The customer may have removed placeholders after the file was read, and the service refuses texts for them.
  const names = finalization?.placeholders ?? []
  const items = rows.map((row) => ({
    ...{ designId: id, quantity: 1 },
    ...(names.length === 0 ? {} : { data: Object.fromEntries(names.map((name) => [name, row[name] ?? ''])) }),
  }))
  const left = cart.add(items)
  keepRows(
    id,
    left.map(({ data = {} }) => data),
  )
  return { added: items.length - left.length, leftOut: left.length }
}
