import { drawSheet, type SheetDeps, type SheetLayer, textHeights } from '../../designs/index.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Order } from '../order/store.ts'
import { collectPickLists } from './collect.ts'
import { layOutPickList } from './lay-out.ts'
import { PAGE } from './page.ts'

/**
 * Draws pick lists as one PDF, each order beginning on a page of its own.
 *
 * @param owner whose turn it is to draw
 * @throws `renderer_busy`, `storage_unavailable`
 */
export async function printPickLists(
  db: Db,
  sheets: SheetDeps,
  { orders, now, owner }: { orders: readonly Order[]; now: Date; owner?: string },
): Promise<Buffer> {
  const who = owner === undefined ? {} : { owner }
  const measure = (texts: readonly SheetLayer[]) => textHeights(sheets, texts, who)
  const pages: SheetLayer[][] = []
  for (const list of await collectPickLists(db, orders)) pages.push(...(await layOutPickList(measure, list, now)))
  const [first] = orders
  const title = orders.length === 1 && first !== undefined ? `Pick list ${first.number}` : 'Pick lists'
  const sheet = { title, widthMm: PAGE.width, heightMm: PAGE.height, pages }
  return Buffer.from(await drawSheet(sheets, sheet, who))
}
