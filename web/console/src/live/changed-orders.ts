import type { Order } from '@platen/client'
import { createNews } from './news.ts'

/** The orders that have changed since a table was read. */
export const changedOrders = createNews<Order>()
