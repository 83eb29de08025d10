import type { Order } from '@platen/client'
import { Button, Icon, Popover, useTexts } from '@platen/ui'
import { useState } from 'react'
import type { ActionName } from '../queries.ts'
import { ACTION_NAMES, ACTIONS, possibleActions } from './actions.ts'
import { PickListButton } from './pick-list-button.tsx'
import { reasonText } from './reason-text.ts'

/** What can be done with an order now, and why the rest cannot. */
export function ActionBar({ order }: { order: Order }) {
  const { text } = useTexts()
  const [open, setOpen] = useState<ActionName>()
  const { possible, main } = possibleActions(order)
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
    <div className="actions">
      {possible.filter((name) => name !== main).map(button)}
      <PickListButton order={order} />
      <NotPossible order={order} />
      {main === undefined ? null : button(main)}
      {Dialog === undefined ? null : <Dialog order={order} onClose={() => setOpen(undefined)} />}
    </div>
  )
}

/** The actions that are not possible now, with the reason that the service states. */
function NotPossible({ order }: { order: Order }) {
  const texts = useTexts()
  const { text } = texts
  const refused = ACTION_NAMES.flatMap((name) => {
    const stated = order.availableActions.find(({ action }) => action === name)
    const action = ACTIONS[name]
    return stated === undefined || stated.allowed || action === undefined
      ? []
      : [{ name, title: text(action.text), reason: reasonText(texts, order, stated.reason ?? '') }]
  })
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
