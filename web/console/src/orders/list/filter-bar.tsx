import { Button, Icon, Popover, useTexts } from '@platen/ui'
import { type ReactNode, useRef } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { SearchField } from '../../parts/table/search-field.tsx'
import { FilterChips } from './filter-chips.tsx'
import { FilterForm } from './filter-form.tsx'
import { SortMenu } from './sort-menu.tsx'
import type { ListState } from './use-list-state.ts'

/** What narrows the table down: words, filters, and those that apply now. */
export function FilterBar({ state, children }: { state: ListState; children: ReactNode }) {
  const { text } = useTexts()
  const bar = useRef<HTMLDivElement>(null)
  const press = (at: number) => () => bar.current?.querySelectorAll<HTMLElement>(':scope > .pl-button')[at]?.click()
  useShortcuts([
    { keys: 'f', title: 'console.filters', run: press(0) },
    { keys: 's', title: 'console.sorting', run: press(1) },
  ])
  return (
    <div ref={bar} className="filters">
      <SearchField
        label={text('console.searchOrders')}
        hint={text('console.searchOrdersHint')}
        value={state.get('q')}
        onChange={(q) => state.change({ q })}
      />
      <Popover
        aria-label={text('console.filters')}
        placement="bottom start"
        trigger={
          <Button>
            <Icon name="settings" size={18} />
            {text('console.filters')}
          </Button>
        }
      >
        {(close) => <FilterForm state={state} onClose={close} />}
      </Popover>
      <SortMenu state={state} />
      <FilterChips state={state} />
      {children}
    </div>
  )
}
