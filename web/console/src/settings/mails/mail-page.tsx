import { Loading, nameOfLanguage, Page, useLanguage } from '@platen/app/frame'
import { isCancelled } from '@platen/app/sign-in'
import type { MailKind, MailPreview } from '@platen/client'
import { NativeSelect, Tabs, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Crumbs } from '../../parts/crumbs.tsx'
import { Section } from '../../parts/section.tsx'
import { Failure, NotFoundPage } from '../../shell/failure.tsx'
import { mailKindsQuery, mailPreviewQuery } from '../queries.ts'
import { KINDS } from './kinds.ts'
import { MailFrame } from './mail-frame.tsx'
import { TestMail } from './test-mail.tsx'

/** One mail as customers get it, with the data of an example. */
export function MailPage({ kind }: { kind: string }) {
  const { text } = useTexts()
  const kinds = useQuery(mailKindsQuery())
  if (kinds.data === undefined) {
    if (kinds.error === null) return <Loading />
    return <Failure error={kinds.error} onRetry={() => void kinds.refetch()} />
  }
  const mail = kinds.data.data.find((one) => one.kind === kind)
  if (mail === undefined) return <NotFoundPage />
  return (
    <>
      <Crumbs back={{ href: '/settings/mails', text: text('consoleSettings.mails') }} />
      <Page title={text(KINDS[mail.kind].title)}>
        <p className="note page-help">{text(KINDS[mail.kind].sent)}</p>
        <Mail {...mail} />
      </Page>
    </>
  )
}

function Mail({ kind, languages }: MailKind) {
  const { text } = useTexts()
  const [chosen, choose] = useState<string>(useLanguage())
  const language = languages.find((one) => one === chosen) ?? languages[0] ?? 'en'
  const preview = useQuery({ ...mailPreviewQuery(kind, language), placeholderData: keepPreviousData })
  return (
    <div className="mail">
      <div className="mail-bar">
        {languages.length < 2 ? null : (
          <NativeSelect
            label={text('consoleSettings.mailLanguage')}
            placeholder={text('consoleSettings.mailLanguage')}
            value={language}
            choices={languages.map((one) => ({ id: one, text: nameOfLanguage(one) }))}
            onChange={choose}
          />
        )}
        <TestMail key={`${kind} ${language}`} kind={kind} language={language} />
      </div>
      {preview.data === undefined ? (
        <PreviewFailure query={preview} />
      ) : (
        <div aria-busy={preview.isPlaceholderData}>
          <Preview preview={preview.data} />
        </div>
      )}
    </div>
  )
}

function PreviewFailure({ query }: { query: { error: Error | null; refetch(): unknown } }) {
  if (query.error === null || isCancelled(query.error)) return <Loading />
  return <Failure error={query.error} onRetry={() => void query.refetch()} />
}

function Preview({ preview: { subject, text: plain, html, language } }: { preview: MailPreview }) {
  const { text } = useTexts()
  return (
    <Section title={text('consoleSettings.preview')}>
      <p className="mail-subject">
        <span className="note">{text('consoleSettings.mailSubject')}</span> <b lang={language}>{subject}</b>
      </p>
      <Tabs
        aria-label={text('consoleSettings.preview')}
        items={[
          {
            id: 'html',
            title: text('consoleSettings.mailHtml'),
            content: <MailFrame html={html} title={text('consoleSettings.mailHtmlOf', { subject })} />,
          },
          {
            id: 'text',
            title: text('consoleSettings.mailText'),
            content: (
              <pre className="mail-text" lang={language}>
                {plain}
              </pre>
            ),
          },
        ]}
      />
    </Section>
  )
}
