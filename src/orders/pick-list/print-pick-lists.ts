import pTimeout from 'p-timeout'
import {
  drawingFailureOf,
  drawSheet,
  mergeSheets,
  rendererBusy,
  type SheetDeps,
  type SheetLayer,
  sheetProblemOf,
  textHeights,
} from '../../designs/index.ts'
import { createFairSemaphore, createKeyedSemaphore } from '../../platform/concurrency/semaphore.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Log } from '../../platform/telemetry/log.ts'
import { actionRefused } from '../order/change/change-order.ts'
import type { OrderStatus } from '../order/state.ts'
import { findOrder, type Order } from '../order/store.ts'
import { collectPickLists, type PickList } from './collect.ts'
import { layOutErrorPage, layOutPickList } from './lay-out.ts'
import { PAGE } from './page.ts'

/** Time limit of one pick list among several, and the time after which the remaining orders get an error page. */
const ORDER_MS = 10_000
const ORDERS_MS = 20_000

/** Orders that are read and drawn at a time. One order can have a hundred items. */
const CONCURRENCY = 4

/** Combined pick lists that one process prints at a time, and that may wait. A user prints one at a time. */
const AT_ONCE = 2
const WAITING = 16
const WAITING_OF_USER = 2

/** Statuses of orders on combined pick lists. Unpaid and cancelled orders are not produced. */
export const PICKABLE: readonly OrderStatus[] = [
  'confirmed',
  'in_production',
  'partially_shipped',
  'shipped',
  'delivered',
  'on_hold',
]

interface Printing {
  now: Date
  /** User on whose behalf the renderer works. The renderer shares its time fairly among users. */
  owner?: string
  signal?: AbortSignal
}

/**
 * Renders the pick list of one order as a PDF.
 *
 * @throws `order_action_refused` for an unpaid order, `renderer_busy`, `render_failed`, `storage_unavailable`
 */
export async function printPickList(db: Db, sheets: SheetDeps, order: Order, printing: Printing): Promise<Buffer> {
  if (order.status === 'awaiting_payment') {
    throw actionRefused(order, 'The order is not paid yet, so there is nothing to pick.')
  }
  const [list] = await collectPickLists(db, [order])
  if (list === undefined) throw new Error('collectPickLists returned nothing for an order')
  try {
    return Buffer.from(await draw(sheets, list, printing))
  } catch (error) {
    throw sheetProblemOf(error)
  }
}

const tooMany = () => rendererBusy('Too many combined pick lists are being printed.')
const ofUsers = createKeyedSemaphore({ max: WAITING_OF_USER, whenFull: tooMany })
const ofProcess = createFairSemaphore(AT_ONCE, { waiting: { max: WAITING, whenFull: tooMany } })

interface PrintDeps {
  db: Db
  sheets: SheetDeps
  log: Log
}

/**
 * Renders the pick lists of orders as one PDF, each on pages of its own. An error page replaces a pick list that fails or
 * exceeds its time limit. Nothing is read before it is the turn of the user.
 *
 * @throws `renderer_busy`, `storage_unavailable`
 */
export function printPickLists(deps: PrintDeps, orderIds: readonly string[], request: Printing): Promise<Buffer> {
  const { owner, signal } = request
  return ofUsers.run(owner ?? '', 1, () =>
    ofProcess.run(owner, () => {
      signal?.throwIfAborted()
      return printAll(deps, orderIds, request)
    }),
  )
}

async function printAll(
  { db, sheets, log }: PrintDeps,
  orderIds: readonly string[],
  request: Printing,
): Promise<Buffer> {
  const { printing, end } = abortable(request)
  const lastBeginMs = performance.now() + ORDERS_MS
  const drawOrExplain = async (list: PickList): Promise<Uint8Array> => {
    const { order } = list
    if (performance.now() > lastBeginMs) return drawErrorPage(sheets, order, printing)
    try {
      return await withinMs(ORDER_MS, printing, (own) => draw(sheets, list, own))
    } catch (error) {
      if (drawingFailureOf(error) === 'unavailable') throw error
      log.warn({ err: error, orderId: order.id }, 'a pick list was not rendered')
      return drawErrorPage(sheets, order, printing)
    }
  }
  try {
    const pdfs: Uint8Array[] = []
    for (let next = 0; next < orderIds.length; next += CONCURRENCY) {
      const ids = orderIds.slice(next, next + CONCURRENCY)
      const orders = await Promise.all(ids.map((id) => findOrder(db, { id })))
      const lists = await collectPickLists(
        db,
        orders.filter((order) => order !== undefined),
      )
      pdfs.push(...(await Promise.all(lists.map(drawOrExplain))))
    }
    return Buffer.from(await mergeSheets(sheets, 'Pick lists', pdfs, jobOptionsOf(printing)))
  } catch (error) {
    throw sheetProblemOf(error)
  } finally {
    end()
  }
}

async function draw(sheets: SheetDeps, list: PickList, printing: Printing): Promise<Uint8Array> {
  const measure = (texts: readonly SheetLayer[]) => textHeights(sheets, texts, jobOptionsOf(printing))
  return drawPages(sheets, list.order, await layOutPickList(measure, list, printing.now), printing)
}

/** Renders the error page of an order. It contains no text of customers, which may have caused the error. */
function drawErrorPage(sheets: SheetDeps, order: Order, printing: Printing): Promise<Uint8Array> {
  return drawPages(sheets, order, [layOutErrorPage(order.number, printing.now)], printing)
}

function drawPages(
  sheets: SheetDeps,
  { number }: Order,
  pages: SheetLayer[][],
  printing: Printing,
): Promise<Uint8Array> {
  const sheet = { title: `Pick list ${number}`, widthMm: PAGE.width, heightMm: PAGE.height, pages }
  return drawSheet(sheets, sheet, jobOptionsOf(printing))
}

function jobOptionsOf({ owner, signal }: Printing): { owner?: string; signal?: AbortSignal } {
  return { ...(owner === undefined ? {} : { owner }), ...(signal === undefined ? {} : { signal }) }
}

/** Adds a signal to the options of a rendering. `end` aborts all jobs that still wait. */
function abortable({ signal, ...printing }: Printing): { printing: Printing; end: () => void } {
  const ended = new AbortController()
  const signals = [ended.signal, ...(signal === undefined ? [] : [signal])]
  return { printing: { ...printing, signal: AbortSignal.any(signals) }, end: () => ended.abort() }
}

/**
 * Limits the time of a rendering.
 *
 * @throws when the time is over; jobs that still wait are aborted
 */
async function withinMs<Result>(
  ms: number,
  whole: Printing,
  work: (printing: Printing) => Promise<Result>,
): Promise<Result> {
  const { printing, end } = abortable(whole)
  try {
    const message = `a pick list took longer than ${ms} ms`
    return await pTimeout(work(printing), { milliseconds: ms, message })
  } finally {
    end()
  }
}
