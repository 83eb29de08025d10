import type { ListedOrder, Order } from '@platen/client'
import { Button, classes, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Link } from 'wouter'
import { ACTIONS, possibleActions } from '../../orders/actions/actions.ts'
import { DisputedPill } from '../../orders/disputed-pill.tsx'
import { RepliedPill } from '../../orders/replied-pill.tsx'
import { piecesLeft } from '../../orders/shipped.ts'
import { useShippingMethodName } from '../../orders/shipping-method-names.ts'
import { SelectBox } from '../../parts/select-box.tsx'

/** Items of an order that a card shows. */
const MOST_ITEMS = 3

export interface BoardCardProps {
  order: ListedOrder
  isSelected: boolean
  onToggle(isRange: boolean): void
}

/** An order on the board, with the button that leads it on. */
export function BoardCard({ order, isSelected, onToggle }: BoardCardProps) {
  const { text } = useTexts()
  const { name, company } = order.shippingAddress
  const shippingMethodOf = useShippingMethodName()
  return (
    <li className={classes('board-card', isSelected && 'selected')} data-order={order.id}>
      <div className="board-card-head">
        <Link href={`/production/${order.id}`} className="board-number" data-row>
          {order.number}
        </Link>
        <SelectBox
          label={text('console.selectOrder', { number: order.number })}
          isSelected={isSelected}
          onToggle={onToggle}
        />
      </div>
      <CardItems order={order} />
      <p className="note">
        {company ?? name} · {shippingMethodOf(order)}
      </p>
      <DisputedPill payment={order.payment} />
      <RepliedPill hold={order.hold} />
      {order.hold === undefined ? null : <p className="board-hold">{order.hold.reason}</p>}
      <FilesNote order={order} />
      <MainAction order={order} />
    </li>
  )
}

function CardItems({ order }: { order: ListedOrder }) {
  const { text, formats } = useTexts()
  const open = order.items.filter((item) => piecesLeft(order, item) > 0)
  return (
    <ul className="board-items">
      {open.slice(0, MOST_ITEMS).map((item) => (
        <li key={item.id}>
          <b>{formats.number(piecesLeft(order, item))}</b> × {item.product.name ?? text('console.someProduct')}
          <span className="note"> {Object.values(item.variant.options ?? {}).join(' · ')}</span>
        </li>
      ))}
      {open.length > MOST_ITEMS ? (
        <li className="note">{text('console.moreItems', { count: open.length - MOST_ITEMS })}</li>
      ) : null}
    </ul>
  )
}

/** Says why an order cannot be produced yet. */
function FilesNote({ order: { items } }: { order: ListedOrder }) {
  const { text } = useTexts()
  const statuses = items.map(({ personalization }) => personalization?.status)
  if (statuses.includes('failed')) return <p className="board-failure">{text('console.filesFailed')}</p>
  if (statuses.includes('pending')) return <p className="note">{text('console.filesPending')}</p>
  return null
}

function MainAction({ order }: { order: ListedOrder }) {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const { main } = possibleActions(order)
  const action = main && ACTIONS[main]
  if (action === undefined) return null
  // The dialogs of these actions need no timeline, which the list leaves out.
  const whole: Order = { ...order, timeline: order.timeline ?? [] }
  return (
    <>
      <Button
        aria-label={text('consoleProduction.actionOn', { action: text(action.text), number: order.number })}
        onPress={() => setOpen(true)}
      >
        {text(action.text)}
      </Button>
      {isOpen ? <action.dialog order={whole} onClose={() => setOpen(false)} /> : null}
    </>
  )
}
