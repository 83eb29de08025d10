import { isMissing, useTitle } from '@platen/app/frame'
import { Button, EmptyState, useText, useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { problemText } from './problem-text.ts'

export interface FailureProps {
  error: unknown
  onRetry?: () => void
  /** Says what was not found, for example "This product is no longer available". */
  missing?: string
  /** Says what to do then. */
  missingHelp?: string
}

/** Takes the place of a page or list that could not be loaded. */
export function Failure({ error, onRetry, missing, missingHelp }: FailureProps) {
  const texts = useTexts()
  const { text } = texts
  const isGone = isMissing(error)
  const title = isGone ? (missing ?? text('common.notFoundTitle')) : text('common.failedTitle')
  useTitle(title)
  const toShop = (
    <Link href="/" className="pl-button">
      {text('shop.toCatalogue')}
    </Link>
  )
  const retry =
    onRetry === undefined ? (
      toShop
    ) : (
      <Button look="primary" onPress={onRetry}>
        {text('common.tryAgain')}
      </Button>
    )
  return (
    <div role="alert">
      <EmptyState level={1} icon={isGone ? 'search' : 'warning'} title={title} action={isGone ? toShop : retry}>
        {isGone ? (missingHelp ?? text('common.notFoundHelp')) : problemText(texts, error)}
      </EmptyState>
    </div>
  )
}

/** The page of URLs that lead nowhere. */
export function NotFoundPage() {
  const text = useText()
  useTitle(text('common.notFoundTitle'))
  return (
    <EmptyState
      level={1}
      icon="search"
      title={text('common.notFoundTitle')}
      action={
        <Link href="/" className="pl-button primary">
          {text('shop.toCatalogue')}
        </Link>
      }
    >
      {text('common.notFoundHelp')}
    </EmptyState>
  )
}
