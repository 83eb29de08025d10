import { Banner, Button, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { hasOutbox } from '../frame/config.ts'
import { problemText } from '../frame/failures/problem-text.ts'
import { platen } from '../session/platen.ts'

export interface VerifyHintProps {
  email: string
  /** What the customer does after that, before the ways to the mail. */
  children?: ReactNode
}

/** Says that a mail with a link is under way. Without a mail server, the mail is in the outbox. */
export function VerifyHint({ email, children }: VerifyHintProps) {
  const texts = useTexts()
  const { text } = texts
  const resend = useMutation({ mutationFn: () => platen.auth.resendVerification({ email: email.trim() }) })
  return (
    <div className="form">
      <p>{text('session.verifyHelp', { email: email.trim() })}</p>
      <div className="row">
        {children}
        <Button isPending={resend.isPending} isDisabled={resend.isSuccess} onPress={() => resend.mutate()}>
          {text(resend.isSuccess ? 'session.mailSent' : 'session.sendMailAgain')}
        </Button>
        {hasOutbox ? <a href="/dev/outbox/mails">{text('session.outbox')}</a> : null}
      </div>
      {resend.error === null ? null : (
        <Banner tone="danger" isLive>
          {problemText(texts, resend.error)}
        </Banner>
      )}
    </div>
  )
}
