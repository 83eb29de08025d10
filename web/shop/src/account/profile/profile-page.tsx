import { nameOfLanguage, notices, Page, setLanguage } from '@platen/app/frame'
import { platen, session } from '@platen/app/session'
import type { OwnUser } from '@platen/client'
import { Button, LANGUAGES, Select, TextField, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useLocation } from 'wouter'
import { problemText } from '../../shell/failures/problem-text.ts'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { Section } from '../frame/section.tsx'
import { EmailSection } from './email-section.tsx'

export function ProfilePage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  return (
    <Page title={text('shop.account')} actions={<SignOut />}>
      <Profile user={user} />
      <EmailSection key={user.email} email={user.email} />
    </Page>
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
      notices.add({ text: text('session.profileSaved'), tone: 'good' })
      await session.reload()
    },
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    save.mutate()
  }
  const languages = [...new Set([...LANGUAGES, locale])].map((id) => ({ id, text: nameOfLanguage(id) }))
  return (
    <Section title={text('account.profile')}>
      <form className="form" onSubmit={submit}>
        <TextField
          label={text('session.yourName')}
          autoComplete="name"
          maxLength={100}
          value={name}
          onChange={setName}
        />
        <Select
          label={text('common.language')}
          description={text('session.languageHelp')}
          choices={languages}
          value={locale}
          onChange={setLocale}
        />
        <ErrorBanner error={save.error} />
        <Button type="submit" look="primary" isPending={save.isPending}>
          {text('common.save')}
        </Button>
      </form>
    </Section>
  )
}

function SignOut() {
  const texts = useTexts()
  const [, navigate] = useLocation()
  const signOut = useMutation({
    mutationFn: () =>
      session.leave(async () => {
        await platen.auth.logout()
        // Without an account, this page would lead to the sign-in.
        navigate('/')
      }),
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
  })
  return (
    <Button isPending={signOut.isPending} onPress={() => signOut.mutate()}>
      {texts.text('common.signOut')}
    </Button>
  )
}
