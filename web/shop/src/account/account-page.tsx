import type { OwnUser } from '@platen/client'
import { Banner, Button, EmptyState, LANGUAGES, Select, TextField, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, Redirect, useLocation } from 'wouter'
import { platen } from '../session/platen.ts'
import { session } from '../session/session.ts'
import { useAccount } from '../session/use-session.ts'
import { problemText } from '../shell/failures/problem-text.ts'
import { nameOf } from '../shell/footer.tsx'
import { setLanguage } from '../shell/language.ts'
import { Loading } from '../shell/loading.tsx'
import { notices } from '../shell/notices.ts'
import { Page } from '../shell/page.tsx'

export function AccountPage() {
  const account = useAccount()
  if (account.kind === 'unknown') return <Loading />
  if (account.kind === 'none') return <Redirect to="/sign-in?next=/account" replace />
  if (account.kind === 'guest') return <GuestAccount />
  return <Profile key={account.user.id} user={account.user} />
}

function GuestAccount() {
  const { text } = useTexts()
  return (
    <EmptyState
      level={1}
      icon="user"
      title={text('shop.noAccount')}
      action={
        <div className="row">
          <Link href="/register" className="pl-button primary">
            {text('shop.createAccount')}
          </Link>
          <Link href="/sign-in" className="pl-button">
            {text('shop.signIn')}
          </Link>
        </div>
      }
    >
      {text('shop.keepHint')}
    </EmptyState>
  )
}

function Profile({ user }: { user: OwnUser }) {
  const texts = useTexts()
  const { text } = texts
  const [name, setName] = useState(user.name ?? '')
  const [locale, setLocale] = useState(user.locale ?? texts.locale)
  const save = useMutation({
    mutationFn: () => platen.me.update({ name: name.trim() === '' ? null : name.trim(), locale }),
    onSuccess: async () => {
      setLanguage(LANGUAGES.includes(locale) ? locale : texts.locale)
      notices.add({ text: text('shop.profileSaved'), tone: 'good' })
      await session.reload()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate()
  }
  const languages = [...new Set([...LANGUAGES, locale])].map((id) => ({ id, text: nameOf(id) }))
  return (
    <Page title={text('shop.account')} width="narrow">
      <p className="note">{user.email}</p>
      <form className="form" onSubmit={submit}>
        <TextField label={text('shop.yourName')} autoComplete="name" maxLength={200} value={name} onChange={setName} />
        <Select
          label={text('shop.language')}
          description={text('shop.languageHelp')}
          choices={languages}
          value={locale}
          onChange={setLocale}
        />
        {save.error === null ? null : (
          <Banner tone="danger" isLive>
            {problemText(texts, save.error)}
          </Banner>
        )}
        <Button type="submit" look="primary" isPending={save.isPending}>
          {text('common.save')}
        </Button>
      </form>
      <hr />
      <SignOut />
    </Page>
  )
}

function SignOut() {
  const texts = useTexts()
  const [, navigate] = useLocation()
  const signOut = useMutation({
    mutationFn: () => session.signOut(),
    onSuccess: () => navigate('/'),
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
  })
  return (
    <Button isPending={signOut.isPending} onPress={() => signOut.mutate()}>
      {texts.text('shop.signOut')}
    </Button>
  )
}
