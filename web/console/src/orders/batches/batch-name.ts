import type { BatchSummary } from '@platen/client'
import type { Texts } from '@platen/ui'

/** A batch without a name is named after the time when it was made. */
export function batchName(
  { text, formats }: Texts,
  { name, createdAt }: Pick<BatchSummary, 'name' | 'createdAt'>,
): string {
  return name ?? text('console.batchOf', { time: formats.dateTime(createdAt) })
}
