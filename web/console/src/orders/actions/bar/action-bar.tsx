import type { Order, OwnUser } from '@platen/client'
import { Button, type Texts, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useShortcuts } from '../../../keys/shortcuts.ts'
import type { ActionName } from '../../queries.ts'
import { ACTION_NAMES, ACTIONS, possibleActions } from '../actions.ts'
import { NotPossible, type Refused } from './not-possible.tsx'
import { PickListButton } from './pick-list-button.tsx'
import { reasonText } from './reason-text.ts'
import { type OrderAgain, useOrderAgain } from './use-order-again.ts'

/** The key of what leads an order on, whatever that is. */
const NEXT_STEP = { keys: 'a a', title: 'console.shortcutNextStep', moves: true } as const

/** What can be done with an order now, and why the rest cannot. */
export function ActionBar({ order, user }: { order: Order; user: OwnUser }) {
  const texts = useTexts()
  const { text } = texts
  const [, navigate] = useLocation()
  const again = useOrderAgain(order, user)
  const [open, setOpen] = useState<ActionName>()
  const { possible, main } = possibleActions(order)
  useShortcuts([
    ...(main === undefined ? [] : [{ ...NEXT_STEP, run: () => setOpen(main) }]),
    ...possible.flatMap((name) => {
      const action = ACTIONS[name]
      return action === undefined ? [] : [{ keys: action.keys, title: action.text, run: () => setOpen(name) }]
    }),
    ...(again !== undefined && 'href' in again
      ? [{ keys: 'a n', title: 'console.orderAgain' as const, run: () => navigate(again.href) }]
      : []),
  ])
  const Dialog = open === undefined ? undefined : ACTIONS[open]?.dialog
  const button = (name: ActionName) => {
    const action = ACTIONS[name]
    if (action === undefined) return null
    const look = name === main ? 'primary' : action.isDanger === true ? 'danger' : 'normal'
    return (
      <Button key={name} look={look} onPress={() => setOpen(name)}>
        {text(action.text)}
      </Button>
    )
  }
  return (
    <div className="actions main-actions">
      {main === undefined ? null : button(main)}
      {possible.filter((name) => name !== main).map(button)}
      <PickListButton order={order} />
      {again !== undefined && 'href' in again ? (
        <Link href={again.href} className="pl-button">
          {text('console.orderAgain')}
        </Link>
      ) : null}
      <NotPossible refused={refusedOf(texts, order, again)} />
      {Dialog === undefined ? null : <Dialog order={order} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

/** Returns the actions that are not possible now, with the reason that the service states. */
function refusedOf(texts: Texts, order: Order, again: OrderAgain | undefined): Refused[] {
  const { text } = texts
  const refused: Refused[] = ACTION_NAMES.flatMap((name) => {
    const stated = order.availableActions.find(({ action }) => action === name)
    const action = ACTIONS[name]
    return stated === undefined || stated.allowed || action === undefined
      ? []
      : [{ title: text(action.text), reason: reasonText(texts, order, stated.reason ?? '') }]
  })
  if (again === undefined || !('reason' in again)) return refused
  return [...refused, { title: text('console.orderAgain'), reason: text(again.reason) }]
}
