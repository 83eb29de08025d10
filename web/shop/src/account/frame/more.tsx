import { Button, useTexts } from '@platen/ui'

export interface MoreProps {
  /** From `useInfiniteQuery`. */
  list: { hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage(): Promise<unknown> }
}

/** The button at the end of a list that has more entries. */
export function More({ list }: MoreProps) {
  const { text } = useTexts()
  if (!list.hasNextPage) return null
  return (
    <div className="more">
      <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
        {text('common.showMore')}
      </Button>
    </div>
  )
}
