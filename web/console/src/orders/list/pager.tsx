import { Button, Icon, useTexts } from '@platen/ui'
import { Link } from 'wouter'
import type { ListState } from './use-list-state.ts'

/** The ways to the other pages of the table. */
export function Pager({ state, nextCursor }: { state: ListState; nextCursor: string | null }) {
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
