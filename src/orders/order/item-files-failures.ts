/** Why files could not be drawn: what clients are told, by what is stored. */
export const ITEM_FILES_FAILURES = {
  drawing_failed: 'The files could not be drawn.',
  drawing_timed_out: 'Drawing took too long.',
  drawing_out_of_memory: 'Drawing needed more memory than a design may.',
  order_cancelled: 'The order was cancelled before the files were drawn.',
} as const
export type ItemFilesFailure = keyof typeof ITEM_FILES_FAILURES
