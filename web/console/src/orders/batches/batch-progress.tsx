import type { BatchSummary } from '@platen/client'
import { ProgressBar, useTexts } from '@platen/ui'

/** How many orders of a batch have left the shop. Cancelled orders have nothing left to do. */
export function BatchProgress({ batch: { progress, orderCount } }: { batch: BatchSummary }) {
  const { text } = useTexts()
  const count = orderCount - progress.cancelled
  const done = progress.shipped + progress.delivered
  return (
    <ProgressBar
      className="batch-progress"
      label={text('console.batchShipped', { done, count })}
      value={count === 0 ? 100 : (100 * done) / count}
      valueLabel={`${done}/${count}`}
    />
  )
}
