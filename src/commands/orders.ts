import { type Config, readConfig } from '../config.ts'
import { createDesk, type Desk, type Order, openPayments } from '../orders/index.ts'
import { systemClock } from '../platform/clock.ts'
import type { DatabasePool } from '../platform/db/index.ts'
import { createLog, type Log } from '../platform/log.ts'
import { Problem } from '../platform/problem.ts'
import { createStorage } from '../platform/storage/index.ts'
import { createRenderer } from '../rendering/index.ts'
import { openObjectStore } from '../storage.ts'
import { describeOrder, listLine } from './order-texts.ts'
import { openForCommand } from './storehouse.ts'
import { complain, type Output, say, sayJson } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const USAGE = `platen orders list [--status STATUS,...] [--q TEXT] [--limit COUNT] [--json]
  platen orders show|hold|release|start|ship|deliver|return|refund|cancel|record-payment NUMBER [--json]
  platen orders pick-list NUMBER > FILE.pdf`

/** Values of options by name. */
export interface OrdersOptions {
  status?: string | undefined
  q?: string | undefined
  limit?: string | undefined
  reason?: string | undefined
  carrier?: string | undefined
  tracking?: string | undefined
  'tracking-url'?: string | undefined
  shipment?: string | undefined
  amount?: string | undefined
  reference?: string | undefined
  json?: boolean | undefined
}
type Name = Exclude<keyof OrdersOptions, 'json'>

interface Act {
  /** Options it takes, besides --json. */
  takes: readonly Name[]
  needs?: readonly Name[]
  run(desk: Desk, order: Order, options: OrdersOptions): Promise<Order>
}

const ACTS: Readonly<Record<string, Act>> = {
  show: { takes: [], run: async (_desk, order) => order },
  'record-payment': {
    takes: ['reference'],
    run: (desk, order, { reference }) => desk.recordPayment(order, given({ reference })),
  },
  start: { takes: [], run: (desk, order) => desk.start(order) },
  hold: { takes: ['reason'], needs: ['reason'], run: (desk, order, { reason }) => desk.hold(order, given({ reason })) },
  release: { takes: [], run: (desk, order) => desk.release(order) },
  ship: {
    takes: ['carrier', 'tracking', 'tracking-url'],
    needs: ['carrier'],
    run: (desk, order, { carrier, tracking, 'tracking-url': trackingUrl }) =>
      desk.ship(order, given({ carrier, trackingNumber: tracking, trackingUrl })),
  },
  deliver: {
    takes: ['shipment'],
    run: (desk, order, { shipment }) => desk.deliver(order, given({ shipmentId: shipment })),
  },
  return: {
    takes: ['shipment', 'reason'],
    run: (desk, order, { shipment, reason }) => desk.takeBack(order, given({ shipmentId: shipment, reason })),
  },
  refund: {
    takes: ['amount', 'reason'],
    run: (desk, order, { amount, reason }) => desk.refund(order, given({ amount, reason })),
  },
  cancel: { takes: ['reason'], run: (desk, order, { reason }) => desk.cancel(order, given({ reason })) },
}

/** Where a command writes to. */
export interface Terminal {
  out: Output & { isTTY: boolean }
  err: Output
}

/** `platen orders ...`: an operator's work from a terminal. Returns the exit code: 0 done, 1 refused. */
export async function orders(
  [action, ...names]: string[],
  options: OrdersOptions,
  terminal: Terminal = { out: process.stdout, err: process.stderr },
): Promise<number> {
  const { out } = terminal
  const act = ACTS[action ?? '']
  if (action === 'list') {
    refuseOthers(action, options, ['status', 'q', 'limit'])
    requireNames(names, 0)
    return withDesk(terminal, (desk) => list(desk, options, out))
  }
  const [name = ''] = names
  if (action === 'pick-list') {
    refuseOthers(action, { ...options, reason: options.json === true ? '' : options.reason }, [])
    requireNames(names, 1)
    if (out.isTTY) throw new UsageError(`A PDF is no text: platen orders pick-list ${name} > FILE.pdf`)
    return withDesk(terminal, async (desk, tools) => out.write(await printPickList(desk, tools, name)))
  }
  if (action === undefined || act === undefined) throw new UsageError(`Call it like this:\n  ${USAGE}`)
  refuseOthers(action, options, act.takes)
  requireNames(names, 1)
  for (const needed of act.needs ?? []) {
    if (options[needed] === undefined) throw new UsageError(`"platen orders ${action}" needs --${needed}.`)
  }
  return withDesk(terminal, async (desk) => {
    const order = await act.run(desk, await desk.find(name), options)
    if (options.json === true) sayJson(await desk.present(order), out)
    else if (action === 'show') for (const line of describeOrder(await desk.present(order))) say(line, out)
    else say(`${order.number} is ${order.status}.`, out)
  })
}

/** Without the members that are not there. */
function given<T extends object>(values: T): { [Key in keyof T]?: NonNullable<T[Key]> } {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Key in keyof T]?: NonNullable<T[Key]>
  }
}

function refuseOthers(action: string, { json: _, ...options }: OrdersOptions, takes: readonly Name[]): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || (takes as readonly string[]).includes(name)) continue
    const own = takes.map((one) => `--${one}`).join(', ')
    throw new UsageError(`"platen orders ${action}" takes ${own === '' ? 'no such option' : `only ${own}`}: --${name}.`)
  }
}

function requireNames(names: readonly string[], count: number): void {
  if (names.length !== count) throw new UsageError(`Call it like this:\n  ${USAGE}`)
}

interface Tools {
  config: Config
  database: DatabasePool
  log: Log
}

async function withDesk(
  { err }: Pick<Terminal, 'err'>,
  work: (desk: Desk, tools: Tools) => Promise<unknown>,
): Promise<number> {
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  const { database, close } = await openForCommand(config, log)
  try {
    const tools = { clock: systemClock, log }
    const { provider, formerProviders } = await openPayments(config, tools)
    const desk = createDesk({ db: database.db, ...tools, provider, formerProviders })
    await work(desk, { config, database, log })
    return 0
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    complain(`${error.title}. ${error.detail}`, err)
    for (const { pointer = '', detail } of error.extras.errors ?? []) {
      if (detail !== error.detail) complain(`  ${pointer.slice(1)}: ${detail}`, err)
    }
    return 1
  } finally {
    await close()
  }
}

async function list(desk: Desk, { status, q, limit, json }: OrdersOptions, out: Terminal['out']): Promise<void> {
  const count = limit === undefined ? {} : { limit: /^\d{1,3}$/.test(limit) ? Number(limit) : Number.NaN }
  const found = await desk.list({ ...given({ status, q }), ...count })
  if (json === true) {
    sayJson({ data: await Promise.all(found.map((order) => desk.present(order))) }, out)
    return
  }
  for (const order of found) say(listLine(order), out)
}

async function printPickList(desk: Desk, { config, database, log }: Tools, name: string): Promise<Buffer> {
  const order = await desk.find(name)
  const store = await openObjectStore(config)
  const storage = createStorage({ store, db: database.db, log })
  const renderer = createRenderer({ processes: 1, log })
  try {
    return await desk.printPickList({ storage, renderer }, order)
  } finally {
    await renderer.close()
    await storage.close()
  }
}
