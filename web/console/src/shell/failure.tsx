import { isMissing, useTitle } from '@platen/app/frame'
import { Button, EmptyState, useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { problemText } from './problem-text.ts'

export interface FailureProps {
  error: unknown
  onRetry(): void
  /** Says what was not found. */
  missing?: string
  /** The page to go on with then. */
  back?: { href: string; text: string }
}

/** Takes the place of a page or a list that could not be loaded. */
export function Failure({ error, onRetry, missing, back }: FailureProps) {
  const texts = useTexts()
  const { text } = texts
  const isGone = isMissing(error)
  const title = isGone ? (missing ?? text('common.notFoundTitle')) : text('common.failedTitle')
  useTitle(title)
  const action =
    isGone && back !== undefined ? (
      <Link href={back.href} className="pl-button">
        {back.text}
      </Link>
    ) : (
      <Button onPress={onRetry}>{text('common.tryAgain')}</Button>
    )
  return (
    <div role="alert">
      <EmptyState level={1} icon={isGone ? 'search' : 'warning'} title={title} action={action}>
        {isGone ? text('common.notFoundHelp') : problemText(texts, error)}
      </EmptyState>
    </div>
  )
}

/** The page of URLs that lead nowhere. */
export function NotFoundPage() {
  const { text } = useTexts()
  useTitle(text('common.notFoundTitle'))
  return (
    <EmptyState level={1} icon="search" title={text('common.notFoundTitle')}>
      {text('common.notFoundHelp')}
    </EmptyState>
  )
}

/** The page of URLs for which the user lacks the permission. */
export function NotAllowedPage() {
  const { text } = useTexts()
  useTitle(text('console.notAllowedTitle'))
  return (
    <EmptyState level={1} icon="lock" title={text('console.notAllowedTitle')}>
      {text('console.notAllowedHelp')}
    </EmptyState>
  )
}
