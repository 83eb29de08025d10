import { Counter, type Registry } from 'prom-client'

/** Counts items whose rendering failed for good. Called once per registry, because it registers a metric. */
export function countFailedItemFiles(registry: Registry): Counter<'failure'> {
  return new Counter({
    name: 'platen_order_item_files_failed_total',
    help: 'Items of orders whose print files could not be drawn, by the failure. An operator has to look.',
    labelNames: ['failure'] as const,
    registers: [registry],
  })
}
