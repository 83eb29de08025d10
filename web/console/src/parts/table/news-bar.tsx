import { Button } from '@platen/ui'
import { useEffect } from 'react'
import type { News } from '../../live/news.ts'

export interface NewsBarProps<Record extends { id: string }> {
  news: News<Record>
  rows: readonly { id: string }[]
  /** Whether a record would be in the table. */
  isWanted(record: Record): boolean
  text(count: number): string
  isFetching: boolean
  onShow(): void
}

/** Says how many records the table does not show, in place of rows that would move. */
export function NewsBar<Record extends { id: string }>(props: NewsBarProps<Record>) {
  const { news, rows, isWanted, text, isFetching, onShow } = props
  const records = news.use()
  const shown = new Set(rows.map(({ id }) => id))
  const missing = [...records.values()].filter((record) => !shown.has(record.id) && isWanted(record))
  // What the request reads now includes the changes until now.
  useEffect(() => {
    if (isFetching) news.forget()
  }, [isFetching, news])
  return (
    <div className="news" role="status">
      {missing.length === 0 ? null : <Button onPress={onShow}>{text(missing.length)}</Button>}
    </div>
  )
}
