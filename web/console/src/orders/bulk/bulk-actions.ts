import type { ChangeOrdersInBulkRequest, OwnUser } from '@platen/client'
import type { MessageKey } from '@platen/ui'
import { ACTIONS } from '../actions/actions.ts'

export type BulkAction = ChangeOrdersInBulkRequest['action']

interface Offer {
  text: MessageKey
  permission: OwnUser['permissions'][number]
  /** Whether the action leads orders on. */
  leadsOn?: true
  /** Whether the orders stay selected afterwards, because the same person leads them on at once. */
  keepsSelection?: true
}

/** The actions on several orders, in the order in which they are shown. The first that leads on is the main one. */
const OFFERS: Readonly<Record<BulkAction, Offer>> = {
  start_production: {
    text: 'console.actionStart',
    permission: 'production:write',
    leadsOn: true,
    keepsSelection: true,
  },
  ship: { text: 'console.actionShip', permission: 'shipping:write', leadsOn: true },
  deliver: { text: 'console.actionDeliver', permission: 'shipping:write', leadsOn: true },
  hold: { text: 'console.actionHold', permission: 'production:write' },
  release: { text: 'console.actionRelease', permission: 'production:write', leadsOn: true, keepsSelection: true },
}

export const textOf = (action: BulkAction): MessageKey => OFFERS[action].text

/** Returns the shortcut: `b`, then the key that the action has on the page of an order. */
export const keysOf = (action: BulkAction): string => (ACTIONS[action]?.keys ?? '').replace(/^a/, 'b')

export const leadsOn = (action: BulkAction): boolean => OFFERS[action].leadsOn === true

export const keepsSelection = (action: BulkAction): boolean => OFFERS[action].keepsSelection === true

/** Returns what a user may do with several orders. The service checks the same. */
export const bulkActionsOf = ({ permissions }: OwnUser): BulkAction[] =>
  (Object.keys(OFFERS) as BulkAction[]).filter((action) => permissions.includes(OFFERS[action].permission))
