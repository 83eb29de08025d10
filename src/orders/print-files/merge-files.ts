import type { Readable } from 'node:stream'
import { locatePrintFiles, mergePrintFiles } from '../../designs/index.ts'
import type { PrintFile } from './collect.ts'
import { createFaults, type FaultCode } from './faults.ts'
import { printFileProblems } from './problems.ts'
import type { PrintFilesSize } from './store.ts'

/** The largest sum of different print files in a PDF. A rendering process reads and writes them within its time limit. */
export const MAX_MERGED_BYTES = 512 * 1024 * 1024

/** The most pages of a PDF. The process keeps a reference to each page and to its entry in the outline. */
export const MAX_MERGED_PAGES = 5_000

export type MergingDeps = Parameters<typeof mergePrintFiles>[0]

/**
 * Joins print files to one PDF.
 *
 * @throws `print_files_too_large`, `print_files_unavailable` for damaged files and other printing conditions,
 *   `renderer_busy`, `render_failed`, `storage_unavailable`
 */
export async function mergeFilesOfOrders(
  deps: MergingDeps,
  files: readonly PrintFile[],
  { orderIds, ...options }: { orderIds: readonly string[]; owner: string; signal: AbortSignal },
): Promise<{ stream: Readable; bytes: number }> {
  const different = new Map(files.map(({ file }) => [file.sha256, file.bytes]))
  const bytes = different.values().reduce((total, one) => total + one, 0)
  requireSize(files, bytes)
  const refuse = (code: FaultCode, some: readonly PrintFile[]): void => {
    const faults = createFaults(orderIds)
    for (const { orderId, orderNumber, itemId } of some) faults.add({ code, orderId, orderNumber, itemId })
    if (some.length > 0) throw printFileProblems.print_files_unavailable({ errors: faults.toErrors() })
  }

  const paths = await locatePrintFiles(deps.storage, different.keys())
  const located = files.map((one) => ({ ...one, path: paths.get(one.file.sha256) }))
  refuse(
    'item_files_missing',
    located.filter(({ path }) => path === undefined),
  )
  const toMerge = located.flatMap(({ path, ...one }) =>
    path === undefined ? [] : [{ path, sha256: one.file.sha256, title: titleOf(one) }],
  )
  const merged = await mergePrintFiles(deps, { title: 'Print files', files: toMerge, bytes }, options)
  if ('stream' in merged) return merged
  refuse(
    'printing_condition_differs',
    merged.others.flatMap((index) => files[index] ?? []),
  )
  throw new Error('the renderer merged no files and named none')
}

function requireSize(files: readonly PrintFile[], bytes: number): void {
  const pages = files.reduce((total, { file }) => total + (file.pages ?? 1), 0)
  requireFewPages({ pages, bytes })
  if (bytes > MAX_MERGED_BYTES) throw tooLarge({ pages, bytes })
}

/**
 * Refuses print files with too many pages for a PDF. Does not limit the bytes, because they are not known exactly before
 * the files are read.
 *
 * @throws `print_files_too_large`
 */
export function requireFewPages(size: PrintFilesSize): void {
  if (size.pages > MAX_MERGED_PAGES) throw tooLarge(size)
}

const tooLarge = (size: PrintFilesSize) =>
  printFileProblems.print_files_too_large({
    members: { ...size, maxBytes: MAX_MERGED_BYTES, maxPages: MAX_MERGED_PAGES },
  })

/** The entry of the outline. The number with the position is also on the pick list. */
function titleOf({ orderNumber, position, sku, quantity }: PrintFile): string {
  return [`${orderNumber}-${position}`, ...(sku === null ? [] : [sku]), `× ${quantity}`].join(' · ')
}
