import type { MessageKey } from '@platen/ui'

/** What each placeholder stands for. */
export const PLACEHOLDERS: Readonly<Record<string, MessageKey>> = {
  number: 'consoleSettings.placeholderNumber',
  date: 'consoleSettings.placeholderDate',
  name: 'consoleSettings.placeholderName',
  total: 'consoleSettings.placeholderTotal',
  shop: 'consoleSettings.placeholderShop',
  payment: 'consoleSettings.placeholderPayment',
  todo: 'consoleSettings.placeholderTodo',
  carrier: 'consoleSettings.placeholderCarrier',
  tracking: 'consoleSettings.placeholderTracking',
  rest: 'consoleSettings.placeholderRest',
  refund: 'consoleSettings.placeholderRefund',
  refunded: 'consoleSettings.placeholderRefunded',
}
