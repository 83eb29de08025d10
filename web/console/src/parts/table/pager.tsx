import { Button, Icon, useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import type { TableState } from './use-table-state.ts'

export interface PagerProps {
  state: Pick<TableState, 'isFirst' | 'urlWith' | 'goBack' | 'goOn'>
  nextCursor: string | null
}

/** The ways to the other pages of a table. */
export function Pager({ state, nextCursor }: PagerProps) {
  const { text } = useTexts()
  const { goBack } = state
  useShortcuts([
    ...(goBack === undefined ? [] : [{ keys: 'h', title: 'console.previousPage' as const, moves: true, run: goBack }]),
    ...(nextCursor === null
      ? []
      : [{ keys: 'l', title: 'console.nextPage' as const, moves: true, run: () => state.goOn(nextCursor) }]),
  ])
  if (state.isFirst && nextCursor === null) return null
  return (
    <nav className="pager" aria-label={text('console.pages')}>
      {state.isFirst ? null : (
        <Link href={state.urlWith({})} className="pl-button quiet">
          {text('console.firstPage')}
        </Link>
      )}
      <Button isDisabled={goBack === undefined} onPress={() => goBack?.()}>
        <Icon name="chevron-left" size={18} />
        {text('console.previousPage')}
      </Button>
      <Button isDisabled={nextCursor === null} onPress={() => nextCursor !== null && state.goOn(nextCursor)}>
        {text('console.nextPage')}
        <Icon name="chevron-right" size={18} />
      </Button>
    </nav>
  )
}
