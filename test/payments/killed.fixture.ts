// This process pays, refunds, cancels and abandons orders. Each task stops permanently before a given step, until the
// test kills the process. A step is a commit, a write outside a transaction, or a request to Stripe.

import { AsyncLocalStorage } from 'node:async_hooks'
import process from 'node:process'
import pg from 'pg'
import { Stripe } from 'stripe'
import { cancelOrder } from '../../src/orders/cancellation/cancel-order.ts'
import { contextFor } from '../../src/orders/order/change/action-context.ts'
import { payOrder } from '../../src/orders/payments/pay-order.ts'
import type { PaymentDeps } from '../../src/orders/payments/providers/providers.ts'
import { connectStripe } from '../../src/orders/payments/providers/stripe/connection.ts'
import { reconcileAttempts } from '../../src/orders/payments/reconcile-attempts.ts'
import { executeRefunds } from '../../src/orders/payments/refunds/execute-refunds.ts'
import { refundOrder } from '../../src/orders/payments/refunds/refund-order.ts'
import { addSeconds } from '../../src/platform/clock.ts'
import { openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET } from '../fakes/stripe/stripe.ts'

/** The data that the process reads from its standard input. */
export interface Orders {
  database: pg.PoolConfig
  stripeUrl: string
  shopUrl: string
  /** How far the clock of the process is ahead. */
  aheadSeconds: number
  tasks: Task[]
}

export interface Task {
  /** `visit`: pays without a token, on the page of Stripe. */
  action: 'pay' | 'visit' | 'refund' | 'cancel' | 'release'
  orderId: string
  ownerId: string
  /** The number of the step before which the task stops, from 1. */
  stopAt: number
}

/** A line of output. The process writes one line for each task. */
export interface Report extends Task {
  /** The step before which the task stopped; undefined if the task ended before it reached this step. */
  step?: string
}

const running = new AsyncLocalStorage<{ task: Task; steps: number }>()

async function step(name: string): Promise<void> {
  const current = running.getStore()
  if (current === undefined) return
  current.steps += 1
  if (current.steps !== current.task.stopAt) return
  report({ ...current.task, step: name })
  await new Promise(() => {})
}

function report(line: Report): void {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

type Asynchronous = (...args: unknown[]) => Promise<unknown>

/** Replaces a method of an object so that calls for which `nameOf` returns a name are steps. */
function watch(owner: object, method: string, nameOf: (self: object, args: unknown[]) => string | undefined): void {
  const methods = owner as Record<string, Asynchronous>
  const original = methods[method]
  if (original === undefined) throw new Error(`no method ${method}`)
  methods[method] = function (this: object, ...args) {
    const name = running.getStore() === undefined ? undefined : nameOf(this, args)
    if (name === undefined) return original.apply(this, args)
    return step(name).then(() => original.apply(this, args))
  }
}

const inTransaction = new WeakSet<object>()
watch(pg.Client.prototype, 'query', (client, [query]) => {
  const { text, beginsTransaction = false } =
    typeof query === 'string' ? { text: query } : (query as { text: string; beginsTransaction?: boolean })
  const [verb = ''] = text.trim().toLowerCase().split(/\s/)
  if (beginsTransaction || verb === 'begin' || verb === 'start') inTransaction.add(client)
  if (verb === 'commit') {
    inTransaction.delete(client)
    return verb
  }
  return verb === 'select' || inTransaction.has(client) ? undefined : `${verb} of ${text.split(' ')[1]}`
})
watch(Object.getPrototypeOf(Stripe.createNodeHttpClient()), 'makeRequest', (_, args) => `${args[3]} ${args[2]}`)

const { database, stripeUrl, shopUrl, aheadSeconds, tasks } = JSON.parse(await readAll(process.stdin)) as Orders
const log = createLog({ level: 'silent' })
// A stopped task may hold its connection until the end, so each task has a connection.
const { db } = openDatabase({ ...database, max: tasks.length + 1 }, log)
const settings = { secretKey: STRIPE_KEY, webhookSecret: STRIPE_WEBHOOK_SECRET, apiUrl: stripeUrl }
const clock = { now: () => addSeconds(new Date(), aheadSeconds) }
const { provider } = await connectStripe(settings, { clock, log, shopUrl })
const deps: PaymentDeps = { db, clock, log, provider, formerProviders: [] }

await Promise.all(tasks.map((task) => running.run({ task, steps: 0 }, () => run(task))))

async function run(task: Task): Promise<void> {
  const { action, orderId, ownerId } = task
  const key = { id: orderId }
  const context = contextFor(deps, { by: 'operator', userId: ownerId })
  if (action === 'release') {
    await reconcileAttempts(deps, { orderId })
  } else if (action === 'pay' || action === 'visit') {
    const payer = { by: 'customer', userId: ownerId } as const
    await payOrder(deps, { ...key, ownerId }, { token: action === 'pay' ? 'pm_card_visa' : undefined, payer })
  } else {
    await db.transaction().execute(async (trx) => {
      if (action === 'cancel') await cancelOrder(trx, context, key, undefined)
      else await refundOrder(trx, context, key, {}, deps)
    })
    await executeRefunds(deps, { orderId })
  }
  report(task)
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
