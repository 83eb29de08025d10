import { Button, Icon, useTexts } from '@platen/ui'
import { Link } from 'wouter'
import type { TableState } from './use-table-state.ts'

export interface PagerProps {
  state: Pick<TableState, 'isFirst' | 'urlWith' | 'goBack' | 'goOn'>
  nextCursor: string | null
}

/** The ways to the other pages of a table. */
export function Pager({ state, nextCursor }: PagerProps) {
  const { text } = useTexts()
  if (state.isFirst && nextCursor === null) return null
  return (
    <nav className="pager" aria-label={text('console.pages')}>
      {state.isFirst ? null : (
        <Link href={state.urlWith({})} className="pl-button quiet">
          {text('console.firstPage')}
        </Link>
      )}
      <Button isDisabled={state.goBack === undefined} onPress={() => state.goBack?.()}>
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
