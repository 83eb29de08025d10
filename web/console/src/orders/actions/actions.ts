import type { ListedOrder } from '@platen/client'
import type { MessageKey } from '@platen/ui'
import type { ComponentType } from 'react'
import type { ActionName } from '../queries.ts'
import type { DialogProps } from './dialog-props.ts'
import { HoldDialog } from './hold-dialog.tsx'
import { DeliverDialog } from './parcels/deliver-dialog.tsx'
import { ReturnDialog } from './parcels/return-dialog.tsx'
import { ShipDialog } from './parcels/ship-dialog.tsx'
import { RecordPaymentDialog } from './record-payment-dialog.tsx'
import { RefundDialog } from './refund-dialog.tsx'
import { CancelDialog, ReleaseDialog, RetryFilesDialog, StartDialog } from './simple-dialogs.tsx'

export interface OrderAction {
  text: MessageKey
  /** The shortcut on the page of an order. */
  keys: `a ${string}`
  dialog: ComponentType<DialogProps>
  /** Whether the action leads the order on. The first of them that is possible is the main one. */
  leadsOn?: true
  isDanger?: true
}

/** Actions of the customer, who has them on the page of the order in the shop. */
type OfCustomers = Extract<ActionName, 'pay' | 'resolve_hold'>

const BUTTONS: Readonly<Record<Exclude<ActionName, OfCustomers>, OrderAction>> = {
  retry_files: { text: 'console.actionRetry', keys: 'a t', dialog: RetryFilesDialog, leadsOn: true },
  release: { text: 'console.actionRelease', keys: 'a r', dialog: ReleaseDialog, leadsOn: true },
  record_payment: { text: 'console.actionRecordPayment', keys: 'a m', dialog: RecordPaymentDialog, leadsOn: true },
  start_production: { text: 'console.actionStart', keys: 'a p', dialog: StartDialog, leadsOn: true },
  ship: { text: 'console.actionShip', keys: 'a s', dialog: ShipDialog, leadsOn: true },
  deliver: { text: 'console.actionDeliver', keys: 'a d', dialog: DeliverDialog, leadsOn: true },
  return: { text: 'console.actionReturn', keys: 'a b', dialog: ReturnDialog },
  hold: { text: 'console.actionHold', keys: 'a h', dialog: HoldDialog },
  refund: { text: 'console.actionRefund', keys: 'a f', dialog: RefundDialog },
  cancel: { text: 'console.actionCancel', keys: 'a c', dialog: CancelDialog, isDanger: true },
}

/** The actions of operators, in the order in which they are shown. */
export const ACTIONS: Readonly<Partial<Record<ActionName, OrderAction>>> = BUTTONS

export const ACTION_NAMES = Object.keys(ACTIONS) as readonly ActionName[]

/** Returns the actions that an order allows now, and the main one of them. */
export function possibleActions({ availableActions }: Pick<ListedOrder, 'availableActions'>) {
  const allowed = new Set(availableActions.flatMap(({ action, allowed }) => (allowed ? [action] : [])))
  const possible = ACTION_NAMES.filter((name) => allowed.has(name))
  return { possible, main: possible.find((name) => ACTIONS[name]?.leadsOn === true) }
}
