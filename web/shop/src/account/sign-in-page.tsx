import { Loading, MoreTexts, Page, signInSettings } from '@platen/app/frame'
import { session, useAccount } from '@platen/app/session'
import { Banner, Button, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { useEffect } from 'react'
import { Link, useLocation, useSearch } from 'wouter'
import { problemText } from '../shell/failures/problem-text.ts'
import { useNextPage, useOpenNext } from './next-page.ts'
import { SignInForm } from './sign-in-form.tsx'

export function SignInPage() {
  const { text } = useTexts()
  const account = useAccount()
  const next = useNextPage()
  const search = useSearch()
  const openNext = useOpenNext()
  const isUser = account.kind === 'user'
  useEffect(() => {
    if (isUser) openNext(next)
  }, [isUser, next, openNext])
  if (isUser) return <Loading />
  return (
    <Page title={text('common.signIn')} width="narrow">
      <MoreTexts groups={['session']}>
        <SignInForm onDone={() => openNext(next)} />
      </MoreTexts>
      <hr />
      <div className="form">
        {signInSettings.isRegistrationOpen ? (
          <Link href={search === '' ? '/register' : `/register?${search}`} className="pl-button">
            {text('shop.createAccount')}
          </Link>
        ) : null}
        {/* A new guest has no orders. */}
        {account.kind === 'none' && !next.startsWith('/orders/') ? <GuestStart next={next} /> : null}
      </div>
    </Page>
  )
}

function GuestStart({ next }: { next: string }) {
  const texts = useTexts()
  const [, navigate] = useLocation()
  const start = useMutation({
    mutationFn: () => session.ensure(),
    // A design of another customer would not be found. A new guest begins with a product.
    onSuccess: () => navigate(next === '/designs' ? '/' : next, { replace: true }),
  })
  return (
    <>
      <Button isPending={start.isPending} onPress={() => start.mutate()}>
        {texts.text('shop.startAsGuest')}
      </Button>
      {start.error === null ? null : (
        <Banner tone="danger" isLive>
          {problemText(texts, start.error)}
        </Banner>
      )}
    </>
  )
}
