/** Reasons why files could not be rendered: the stored code, and the text for clients. */
export const ITEM_FILES_FAILURES = {
  drawing_failed: 'The files could not be drawn.',
  drawing_timed_out: 'Drawing took too long.',
  drawing_out_of_memory: 'Drawing needed more memory than a design may.',
  order_cancelled: 'The order was cancelled before the files were drawn.',
} as const
export type ItemFilesFailure = keyof typeof ITEM_FILES_FAILURES
