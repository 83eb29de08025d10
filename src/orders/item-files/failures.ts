import { Counter, type Registry } from 'prom-client'

/** Why files could not be drawn: what clients are told, by what is stored. */
export const ITEM_FILES_FAILURES = {
  drawing_failed: 'The files could not be drawn.',
  drawing_timed_out: 'Drawing took too long.',
  drawing_out_of_memory: 'Drawing needed more memory than a design may.',
  order_cancelled: 'The order was cancelled before the files were drawn.',
} as const
export type ItemFilesFailure = keyof typeof ITEM_FILES_FAILURES

/** Counts items whose files could not be drawn in the end. Created once for a registry. */
export function countFailedItemFiles(registry: Registry): Counter<'failure'> {
  return new Counter({
    name: 'platen_order_item_files_failed_total',
    help: 'Items of orders whose print files could not be drawn, by the failure. An operator has to look.',
    labelNames: ['failure'] as const,
    registers: [registry],
  })
}
