import type { ListedOrder } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useEffect } from 'react'
import { forgetChangedOrders, useChangedOrders } from '../../live/changed-orders.ts'

export interface NewsBarProps {
  rows: readonly ListedOrder[]
  /** The statuses of the table, separated by commas. */
  status: string | undefined
  isFetching: boolean
  onShow(): void
}

/** Says how many orders have changed that the table does not show, in place of rows that would move. */
export function NewsBar({ rows, status, isFetching, onShow }: NewsBarProps) {
  const { text } = useTexts()
  const changed = useChangedOrders()
  const shown = new Set(rows.map(({ id }) => id))
  const missing = [...changed.values()].filter(
    (order) => !shown.has(order.id) && (status === undefined || status.split(',').includes(order.status)),
  )
  // What the request reads now includes the changes until now.
  useEffect(() => {
    if (isFetching) forgetChangedOrders()
  }, [isFetching])
  return (
    <div className="news" role="status">
      {missing.length === 0 ? null : (
        <Button onPress={onShow}>{text('console.changedOrders', { count: missing.length })}</Button>
      )}
    </div>
  )
}
