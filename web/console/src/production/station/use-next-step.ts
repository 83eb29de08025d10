import { platen } from '@platen/app/session'
import type { Order } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useState } from 'react'
import { ACTIONS, possibleActions } from '../../orders/actions/actions.ts'
import { useOrderAction } from '../../orders/actions/use-order-action.ts'
import type { ActionName } from '../../orders/queries.ts'

/** What comes next for an order. */
export interface NextStep {
  /** Undefined if nothing can be done now. */
  title: string | undefined
  isPending: boolean
  /** Does it at once, or opens the dialog for what it needs. */
  run(): void
  /** The action whose dialog is open. */
  open: ActionName | undefined
  setOpen(action: ActionName | undefined): void
}

/** Production starts at once, because nothing has to be entered, and hands at the workplace are full. */
export function useNextStep(order: Order): NextStep {
  const { text } = useTexts()
  const [open, setOpen] = useState<ActionName>()
  const start = useOrderAction(order, (ifUnchanged) => platen.orders.startProduction(order.id, ifUnchanged), {
    done: text('console.doneStart'),
    onDone: () => undefined,
    isDirect: true,
  })
  const { main } = possibleActions(order)
  const action = main && ACTIONS[main]
  return {
    title: action && text(action.text),
    isPending: start.isPending,
    run: () => {
      if (start.isPending) return
      if (main === 'start_production') start.mutate()
      else setOpen(main)
    },
    open,
    setOpen,
  }
}
