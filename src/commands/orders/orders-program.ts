import { type CommandLine, numberOption, textOption } from '../command-line/command.ts'
import type { OrderAction } from './orders.ts'

const STATUSES = { 0: 'done', 1: 'rejected, and nothing was changed' }
const JSON_OPTION = ['--json', 'print what the API returns'] as const

/** Adds the command `platen orders` with one subcommand for each action of an operator. */
export function addOrderCommands(program: CommandLine): void {
  const orders = program
    .command('orders')
    .description('Process orders (subcommands: list, show, record-payment, start, hold, release, ship, deliver, ...)')
  const load = () => import('./orders.ts')

  orders
    .command('list')
    .description('List the orders to produce and ship')
    .addOption(
      textOption(
        '--status <status,...>',
        'statuses to list, comma-separated: awaiting_payment, confirmed, in_production, partially_shipped, shipped, delivered, on_hold, cancelled (default: confirmed, in_production, partially_shipped, on_hold; with --q: all)',
      ),
    )
    .addOption(
      textOption(
        '--q <text>',
        'text in number, name, company, postal code, email or tracking number (default: no search)',
      ),
    )
    .addOption(numberOption('--limit <count>', 'number of orders, at most 100 (default: 20)', [1, 100]))
    .option(...JSON_OPTION)
    .runs(STATUSES, async () => (await load()).listOrders)
  const forOrder = (name: string, description: string) =>
    orders.command(name).description(description).argument('<number>', 'order number or order id')
  forOrder('show', 'Show one order')
    .option(...JSON_OPTION)
    .runs(STATUSES, async () => (await load()).showOrder)
  addActions((name, description, act) =>
    forOrder(name, description)
      .option(...JSON_OPTION)
      .runs(STATUSES, async () => (await load()).actOnOrder(act)),
  )
  forOrder('pick-list', 'Write the pick list of an order to standard output, as a PDF').runs(
    STATUSES,
    async () => (await load()).writePickList,
  )
}

function addActions(add: (name: string, description: string, act: OrderAction) => CommandLine): void {
  const reason = (description: string) => textOption('--reason <text>', description)
  const shipment = () =>
    textOption('--shipment <id>', 'id of the shipment (default: the one that matches; required if several match)')
  add('record-payment', 'Record a payment that arrived outside Platen', (actions, order, { reference }) =>
    actions.recordPayment(order, given({ reference })),
  ).addOption(
    textOption('--reference <text>', 'your reference, such as the number of the bank statement (default: none)'),
  )
  add('start', 'Start production', (actions, order) => actions.start(order))
  add('hold', 'Put an order on hold', (actions, order, options) =>
    actions.hold(order, given({ reason: options.reason })),
  ).addOption(reason('reason of the hold (required)').makeOptionMandatory())
  add('release', 'Release an order that is on hold', (actions, order) => actions.release(order))
  add('ship', 'Record that one parcel with all unshipped items was sent', (actions, order, options) => {
    const { carrier, tracking: trackingNumber, trackingUrl } = options
    return actions.ship(order, given({ carrier, trackingNumber, trackingUrl }))
  })
    .addOption(textOption('--carrier <name>', 'carrier of the parcel (required)').makeOptionMandatory())
    .addOption(textOption('--tracking <number>', 'tracking number (default: none)'))
    .addOption(textOption('--tracking-url <url>', 'URL of a page that tracks the parcel (default: none)'))
  add('deliver', 'Record that a parcel was delivered', (actions, order, options) =>
    actions.deliver(order, given({ shipmentId: options.shipment })),
  ).addOption(shipment())
  add('return', 'Record that a parcel came back', (actions, order, options) =>
    actions.returnShipment(order, given({ shipmentId: options.shipment, reason: options.reason })),
  )
    .addOption(shipment())
    .addOption(reason('reason of the return (default: none)'))
  add('refund', 'Refund a payment', (actions, order, options) =>
    actions.refund(order, given({ amount: options.amount, reason: options.reason })),
  )
    .addOption(
      textOption(
        '--amount <amount>',
        'amount in the currency of the order, such as 12.50 (default: the whole amount that can still be refunded)',
      ),
    )
    .addOption(reason('why (default: none)'))
  add('cancel', 'Cancel an order and refund its payment', (actions, order, options) =>
    actions.cancel(order, given({ reason: options.reason })),
  ).addOption(reason('why (default: none)'))
}

function given<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>
  }
}
