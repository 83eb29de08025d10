import { Loading, nameOfLanguage, Page, useLanguage } from '@platen/app/frame'
import { isCancelled } from '@platen/app/sign-in'
import type { MailKind } from '@platen/client'
import { NativeSelect, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { Failure, NotFoundPage } from '../../shell/failure.tsx'
import { mailKindsQuery, mailTextQuery, SETTINGS } from '../queries.ts'
import { KINDS } from './kinds.ts'
import { MailForm } from './mail-form.tsx'
import { useTextFields } from './use-text-fields.ts'

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
  const saved = useQuery(mailTextQuery(kind, language))
  const fields = useTextFields()
  return (
    <div className="mail">
      {languages.length < 2 ? null : (
        <div className="mail-bar">
          <NativeSelect
            label={text('consoleSettings.mailLanguage')}
            placeholder={text('consoleSettings.mailLanguage')}
            value={language}
            choices={languages.map((one) => ({ id: one, text: nameOfLanguage(one) }))}
            onChange={choose}
          />
        </div>
      )}
      {saved.data === undefined ? (
        <TextFailure query={saved} />
      ) : (
        <MailForm key={`${kind} ${language}`} saved={saved.data} />
      )}
      <HistorySection queryKey={SETTINGS} subject="mail_text" subjectId={`${kind}/${language}`} fields={fields} />
    </div>
  )
}

function TextFailure({ query }: { query: { error: Error | null; refetch(): unknown } }) {
  if (query.error === null || isCancelled(query.error)) return <Loading />
  return <Failure error={query.error} onRetry={() => void query.refetch()} />
}
