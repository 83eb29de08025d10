import { Button, Icon, Menu, type MessageKey, useTexts } from '@platen/ui'
import type { ListState } from './use-list-state.ts'

/** The orders of rows, by their values in the URL. By due date, the service lists open orders unless a status is chosen. */
const SORTS: Readonly<Record<string, MessageKey>> = {
  '': 'console.newestFirst',
  createdAt: 'console.oldestFirst',
  dueAt: 'console.dueFirst',
}

/** Shows how the table is sorted, and changes it. */
export function SortMenu({ state }: { state: ListState }) {
  const { text } = useTexts()
  const present = text(SORTS[state.get('sort')] ?? 'console.newestFirst')
  return (
    <Menu
      aria-label={text('console.sorting')}
      placement="bottom start"
      actions={Object.entries(SORTS).map(([sort, title]) => ({
        id: sort === '' ? 'newest' : sort,
        text: text(title),
        onAction: () => state.change({ sort }),
      }))}
      trigger={
        <Button look="quiet" aria-label={text('console.sortedBy', { sorting: present })}>
          <Icon name="arrow-down" size={18} />
          {present}
        </Button>
      }
    />
  )
}
