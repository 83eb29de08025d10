import type { ChangeOrdersInBulkRequest, OwnUser } from '@platen/client'
import type { MessageKey } from '@platen/ui'

export type BulkAction = ChangeOrdersInBulkRequest['action']

interface Offer {
  text: MessageKey
  permission: OwnUser['permissions'][number]
}

/** The actions on several orders, in the order in which they are shown. */
const OFFERS: Readonly<Record<BulkAction, Offer>> = {
  start_production: { text: 'console.actionStart', permission: 'production:write' },
  ship: { text: 'console.actionShip', permission: 'shipping:write' },
  deliver: { text: 'console.actionDeliver', permission: 'shipping:write' },
  hold: { text: 'console.actionHold', permission: 'production:write' },
  release: { text: 'console.actionRelease', permission: 'production:write' },
}

export const textOf = (action: BulkAction): MessageKey => OFFERS[action].text

/** Returns what a user may do with several orders. The service checks the same. */
export const bulkActionsOf = ({ permissions }: OwnUser): BulkAction[] =>
  (Object.keys(OFFERS) as BulkAction[]).filter((action) => permissions.includes(OFFERS[action].permission))
