import { Loading, MoreTexts, signInSettings } from '@platen/app/frame'
import { platen, session, useAccount } from '@platen/app/session'
import { StepUp } from '@platen/app/sign-in'
import { type InvitationOffer, PlatenError } from '@platen/client'
import { EmptyState, TextField, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { accountProblem } from '../frame/account-problem.ts'
import { useAction } from '../frame/use-action.ts'
import { MailLinkPage, PageLink } from './mail-link-page.tsx'
import { useMailedToken } from './token.ts'

/** Accepts the invitation of an administrator, with a new account or with that of the invited email address. */
export function InvitationPage() {
  return (
    <MoreTexts groups={['session', 'account']}>
      <StepUp>
        <Invitation />
      </StepUp>
    </MoreTexts>
  )
}

function Invitation() {
  const texts = useTexts()
  const { text } = texts
  const token = useMailedToken()
  const offer = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => platen.auth.readInvitation({ token: token ?? '' }),
    enabled: token !== undefined,
    retry: false,
    // After it was accepted, the token is of no use, and the page says what comes next.
    staleTime: Number.POSITIVE_INFINITY,
  })
  const home = <PageLink href="/" label={text('account.toShop')} />
  if (token === undefined || offer.isError) {
    return (
      <EmptyState level={1} icon="link" title={text('account.invitationTitle')} action={home}>
        {offer.isError ? accountProblem(texts, offer.error) : text('account.linkIncomplete')}
      </EmptyState>
    )
  }
  if (offer.data === undefined) return <Loading />
  return offer.data.hasAccount ? (
    <OwnAccount token={token} offer={offer.data} />
  ) : (
    <NewAccount token={token} offer={offer.data} />
  )
}

interface OfferProps {
  token: string
  offer: InvitationOffer
}

function NewAccount({ token, offer }: OfferProps) {
  const texts = useTexts()
  const { text } = texts
  const [name, setName] = useState('')
  const [password, setPassword] = useState('')
  const accept = useMutation({
    mutationFn: () => {
      const named = name.trim() === '' ? {} : { name: name.trim() }
      return platen.auth.acceptInvitation({ token, password, ...named })
    },
  })
  const isRejected = accept.error instanceof PlatenError && accept.error.code === 'password_rejected'
  return (
    <MailLinkPage
      title={text('account.invitationTitle')}
      help={text('account.invitationNewHelp', { email: offer.email })}
      submitLabel={text('account.invitationAccept')}
      token={token}
      action={accept}
      isErrorShown={isRejected}
      done={{
        title: text('account.invitationAccepted'),
        help: text('account.invitationSignIn'),
        link: <PageLink href="/sign-in" label={text('common.signIn')} isMain />,
      }}
      again={<PageLink href="/" label={text('account.toShop')} />}
    >
      <TextField
        label={text('session.yourName')}
        description={text('shop.optionalField')}
        autoComplete="name"
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <TextField
        label={text('session.password')}
        description={text('session.passwordHelp', { count: signInSettings.passwordMinLength })}
        type="password"
        autoComplete="new-password"
        minLength={signInSettings.passwordMinLength}
        value={password}
        onChange={(value) => {
          setPassword(value)
          if (isRejected) accept.reset()
        }}
        isRequired
        error={isRejected ? accountProblem(texts, accept.error) : undefined}
      />
    </MailLinkPage>
  )
}

function OwnAccount({ token, offer: { email } }: OfferProps) {
  const { text } = useTexts()
  const account = useAccount()
  const claim = useAction(
    () => platen.auth.claimInvitation({ token }),
    () => session.reload(),
  )
  if (account.kind !== 'user') {
    const signIn = <PageLink href="/sign-in?next=/accept-invitation" label={text('common.signIn')} isMain />
    return (
      <EmptyState level={1} icon="user" title={text('account.invitationTitle')} action={signIn}>
        {text('account.invitationKnownHelp', { email })}
      </EmptyState>
    )
  }
  return (
    <MailLinkPage
      title={text('account.invitationTitle')}
      help={text('account.invitationOwnHelp', { email })}
      submitLabel={text('account.invitationAccept')}
      token={token}
      action={claim}
      done={{
        title: text('account.invitationAccepted'),
        help: text('account.invitationGranted'),
        link: <PageLink href="/account" label={text('account.toAccount')} isMain />,
      }}
      again={<PageLink href="/sign-in?next=/accept-invitation" label={text('account.toSignIn')} />}
    />
  )
}
