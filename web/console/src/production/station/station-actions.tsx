import type { Order } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { Link, useLocation } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { ACTIONS, possibleActions } from '../../orders/actions/actions.ts'
import { PickListButton } from '../../orders/actions/bar/pick-list-button.tsx'
import type { NextStep } from './use-next-step.ts'

/** The next step, and what else is done at the workplace. The page of the order has the rest. */
export function StationActions({ order, step }: { order: Order; step: NextStep }) {
  const { text } = useTexts()
  const { possible } = possibleActions(order)
  const [, navigate] = useLocation()
  useShortcuts([
    ...(step.title === undefined ? [] : [{ keys: 'a a', title: 'console.shortcutNextStep' as const, run: step.run }]),
    ...(possible.includes('hold')
      ? [{ keys: 'a h', title: 'console.actionHold' as const, run: () => step.setOpen('hold') }]
      : []),
    { keys: 'a o', title: 'consoleProduction.wholeOrder', moves: true, run: () => navigate(`/orders/${order.id}`) },
  ])
  const Dialog = step.open && ACTIONS[step.open]?.dialog
  return (
    <div className="actions main-actions">
      <Link href={`/orders/${order.id}`} className="pl-button quiet">
        {text('consoleProduction.wholeOrder')}
      </Link>
      <PickListButton order={order} />
      {possible.includes('hold') ? (
        <Button onPress={() => step.setOpen('hold')}>{text('console.actionHold')}</Button>
      ) : null}
      {step.title === undefined ? null : (
        <Button look="primary" isPending={step.isPending} onPress={step.run}>
          {step.title}
        </Button>
      )}
      {Dialog === undefined ? null : <Dialog order={order} onClose={() => step.setOpen(undefined)} />}
    </div>
  )
}
