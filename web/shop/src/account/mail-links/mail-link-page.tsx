import { Page } from '@platen/app/frame'
import { Banner, Button, EmptyState, useTexts } from '@platen/ui'
import type { UseMutationResult } from '@tanstack/react-query'
import type { FormEvent, ReactNode } from 'react'
import { Link } from 'wouter'
import { accountProblem } from '../frame/account-problem.ts'

export interface MailLinkPageProps {
  title: string
  /** What the button does. */
  help: string
  submitLabel: string
  /** Undefined if the URL has none. */
  token: string | undefined
  /** Sends the token. */
  action: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending' | 'isSuccess' | 'error'>
  /** Whether the error is shown at a field. */
  isErrorShown?: boolean
  done: { title: string; help: string; link: ReactNode }
  /** The way to another mail. */
  again: ReactNode
  children?: ReactNode
}

/** A page to which a link in a mail leads. */
export function MailLinkPage(props: MailLinkPageProps) {
  const texts = useTexts()
  const { title, help, submitLabel, token, action, isErrorShown = false, done, again, children } = props
  const { error } = action
  if (action.isSuccess) {
    return (
      <div role="status">
        <EmptyState level={1} icon="check" title={done.title} action={done.link}>
          {done.help}
        </EmptyState>
      </div>
    )
  }
  if (token === undefined) {
    return (
      <EmptyState level={1} icon="link" title={title} action={again}>
        {texts.text('account.linkIncomplete')}
      </EmptyState>
    )
  }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    action.mutate()
  }
  return (
    <Page title={title} width="narrow">
      <form className="form" onSubmit={submit}>
        <p>{help}</p>
        {error === null || isErrorShown ? null : (
          <Banner tone="danger" isLive>
            {accountProblem(texts, error)}
          </Banner>
        )}
        {children}
        <Button type="submit" look="primary" isPending={action.isPending}>
          {submitLabel}
        </Button>
        {error === null || isErrorShown ? null : <div className="row">{again}</div>}
      </form>
    </Page>
  )
}

export function PageLink({ href, label, isMain = false }: { href: string; label: string; isMain?: boolean }) {
  return (
    <Link href={href} className={isMain ? 'pl-button primary' : 'pl-button'}>
      {label}
    </Link>
  )
}
