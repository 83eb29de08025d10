import type { Order, OwnUser } from '@platen/client'
import { Button, Icon, Popover, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import type { ActionName } from '../queries.ts'
import { ACTION_NAMES, ACTIONS, possibleActions } from './actions.ts'
import { PickListButton } from './pick-list-button.tsx'
import { reasonText } from './reason-text.ts'
import { type OrderAgain, useOrderAgain } from './use-order-again.ts'

/** What can be done with an order now, and why the rest cannot. */
export function ActionBar({ order, user }: { order: Order; user: OwnUser }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const again = useOrderAgain(order, user)
  const [open, setOpen] = useState<ActionName>()
  const { possible, main } = possibleActions(order)
  useShortcuts([
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
      <NotPossible order={order} again={again} />
      {Dialog === undefined ? null : <Dialog order={order} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

/** The actions that are not possible now, with the reason that the service states. */
function NotPossible({ order, again }: { order: Order; again: OrderAgain | undefined }) {
  const texts = useTexts()
  const { text } = texts
  const refused: { name: string; title: string; reason: string }[] = ACTION_NAMES.flatMap((name) => {
    const stated = order.availableActions.find(({ action }) => action === name)
    const action = ACTIONS[name]
    return stated === undefined || stated.allowed || action === undefined
      ? []
      : [{ name, title: text(action.text), reason: reasonText(texts, order, stated.reason ?? '') }]
  })
  if (again !== undefined && 'reason' in again) {
    refused.push({ name: 'again', title: text('console.orderAgain'), reason: text(again.reason) })
  }
  if (refused.length === 0) return null
  return (
    <Popover
      aria-label={text('console.notPossible')}
      placement="bottom end"
      trigger={
        <Button look="quiet" isIcon aria-label={text('console.notPossible')}>
          <Icon name="info" size={20} />
        </Button>
      }
    >
      <div className="refused">
        <h2>{text('console.notPossible')}</h2>
        <dl>
          {refused.map(({ name, title, reason }) => (
            <div key={name}>
              <dt>{title}</dt>
              <dd>{reason}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Popover>
  )
}
