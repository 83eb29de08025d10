import { Loading, nameOfLanguage, Page } from '@platen/app/frame'
import type { MailKind } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Failure } from '../../shell/failure.tsx'
import { mailKindsQuery } from '../queries.ts'
import { SettingsViews } from '../settings-views.tsx'
import { KINDS } from './kinds.ts'

/** The mails that customers get about their orders. */
export function MailListPage() {
  const { text } = useTexts()
  const columns = useColumns()
  const kinds = useQuery(mailKindsQuery())
  if (kinds.error !== null && kinds.data === undefined) {
    return <Failure error={kinds.error} onRetry={() => void kinds.refetch()} />
  }
  return (
    <Page title={text('consoleSettings.mails')}>
      <SettingsViews />
      <p className="note page-help">{text('consoleSettings.mailsHelp')}</p>
      {kinds.data === undefined ? (
        <Loading />
      ) : (
        <DataTable
          label={text('consoleSettings.mails')}
          columns={columns}
          rows={kinds.data.data}
          keyOf={({ kind }) => kind}
        />
      )}
    </Page>
  )
}

function useColumns(): readonly Column<MailKind>[] {
  const { text } = useTexts()
  return [
    {
      id: 'mail',
      title: text('consoleSettings.mail'),
      cell: ({ kind }) => (
        <Link href={`/settings/mails/${kind}`} className="row-link wraps" data-row>
          {text(KINDS[kind].title)}
        </Link>
      ),
    },
    { id: 'sent', title: text('consoleSettings.mailSent'), cell: ({ kind }) => text(KINDS[kind].sent) },
    {
      id: 'languages',
      title: text('consoleSettings.languages'),
      from: 60,
      cell: ({ languages }) => languages.map(nameOfLanguage).join(', '),
    },
  ]
}
