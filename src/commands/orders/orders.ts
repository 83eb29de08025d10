import { createOperatorActions, type OperatorActions, type Order, openPayments } from '../../orders/index.ts'
import { Problem } from '../../platform/problem.ts'
import { createStorage } from '../../platform/storage/index.ts'
import { createRenderer } from '../../rendering/index.ts'
import { openObjectStore } from '../../storage.ts'
import { usageError } from '../command-line/command-error.ts'
import { type Terminal, writeError, writeJson, writeLine } from '../command-line/terminal.ts'
import { type CommandContext, withDatabase } from '../database-server.ts'
import { describeOrder, listLine } from './order-texts.ts'

export interface ListOptions {
  status?: string
  q?: string
  limit?: number
  json?: boolean
}

/** Lists the orders that `GET /production/orders` returns. Returns the exit status. */
export async function listOrders({ json, ...query }: ListOptions, terminal: Terminal): Promise<number> {
  return withOperatorActions(terminal, async (actions) => {
    const found = await actions.list(query)
    if (json === true)
      writeJson({ data: await Promise.all(found.map((order) => actions.present(order))) }, terminal.out)
    else for (const order of found) writeLine(listLine(order), terminal.out)
  })
}

/** Prints one order. Returns the exit status. */
export async function showOrder(number: string, { json }: { json?: boolean }, { out, err }: Terminal): Promise<number> {
  return withOperatorActions({ err }, async (actions) => {
    const order = await actions.present(await actions.find(number))
    if (json === true) writeJson(order, out)
    else for (const line of describeOrder(order)) writeLine(line, out)
  })
}

export interface ActionOptions {
  reason?: string
  carrier?: string
  tracking?: string
  trackingUrl?: string
  shipment?: string
  amount?: string
  reference?: string
  json?: boolean
}

export type OrderAction = (actions: OperatorActions, order: Order, options: ActionOptions) => Promise<Order>

/** Makes the handler of an action on one order. The handler prints the result and returns the exit status. */
export function actOnOrder(act: OrderAction) {
  return (number: string, options: ActionOptions, { out, err }: Terminal): Promise<number> =>
    withOperatorActions({ err }, async (actions) => {
      const order = await act(actions, await actions.find(number), options)
      if (options.json === true) writeJson(await actions.present(order), out)
      else writeLine(`${order.number} is ${order.status}.`, out)
    })
}

/** Writes the pick list of an order as a PDF. Returns the exit status. */
export async function writePickList(number: string, _options: object, { out, err }: Terminal): Promise<number> {
  if (out.isTTY) {
    throw usageError(`A PDF cannot be shown on a terminal. Redirect it: platen orders pick-list ${number} > FILE.pdf`)
  }
  return withOperatorActions({ err }, async (actions, context) =>
    out.write(await printPickList(actions, context, number)),
  )
}

async function withOperatorActions(
  { err }: Pick<Terminal, 'err'>,
  work: (actions: OperatorActions, context: CommandContext) => Promise<unknown>,
): Promise<number> {
  return withDatabase(async (context) => {
    const { config, database, log, clock } = context
    try {
      const { provider, formerProviders } = await openPayments(config, { clock, log })
      await work(createOperatorActions({ db: database.db, clock, log, provider, formerProviders }), context)
      return 0
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      writeProblem(error, err)
      return 1
    }
  })
}

function writeProblem({ title, detail, extras }: Problem, err: Terminal['err']): void {
  writeError(`${title}. ${detail}`, err)
  for (const { pointer = '', detail: cause } of extras.errors ?? []) {
    if (cause !== detail) writeError(`  ${pointer.slice(1)}: ${cause}`, err)
  }
}

async function printPickList(
  actions: OperatorActions,
  { config, database, log }: CommandContext,
  number: string,
): Promise<Buffer> {
  const order = await actions.find(number)
  const store = await openObjectStore(config)
  const storage = createStorage({ store, db: database.db, log })
  const renderer = createRenderer({ processes: 1, log })
  try {
    return await actions.printPickList({ storage, renderer }, order)
  } finally {
    await renderer.close()
    await storage.close()
  }
}
