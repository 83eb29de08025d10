import { Loading, Page } from '@platen/app/frame'
import type { OwnUser } from '@platen/client'
import { EmptyState, NativeSelect, TextField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { EVENT_TYPES, textOfEvent } from '../../parts/security-events.ts'
import { Pager } from '../../parts/table/pager.tsx'
import { SearchField } from '../../parts/table/search-field.tsx'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { Failure } from '../../shell/failure.tsx'
import { auditLogQuery } from '../queries.ts'
import { SystemViews } from '../system-views.tsx'
import { type AuditFilter, queryOf } from './audit-filter.ts'
import { AuditTable } from './audit-table.tsx'
import { AuditVerification } from './audit-verification.tsx'

/** Who did what with accounts, access and settings, newest first. */
export function AuditPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const state = useTableState<AuditFilter>()
  const events = useQuery(auditLogQuery(queryOf(state)))
  const rows = events.data?.data
  if (events.error !== null && rows === undefined) {
    return <Failure error={events.error} onRetry={() => void events.refetch()} />
  }
  return (
    <Page title={text('consoleSystem.auditLog')}>
      <SystemViews />
      <p className="note page-help">{text('consoleSystem.auditHelp')}</p>
      <AuditVerification user={user} />
      <Filters state={state} />
      {rows === undefined ? (
        <Loading />
      ) : (
        <>
          {rows.length === 0 ? (
            <EmptyState icon="history" title={text('consoleSystem.noEntries')}>
              {text('consoleSystem.noEntriesHelp')}
            </EmptyState>
          ) : (
            <AuditTable events={rows} isStale={events.isPlaceholderData} />
          )}
          <Pager state={state} nextCursor={events.data?.nextCursor ?? null} />
        </>
      )}
    </Page>
  )
}

function Filters({ state }: { state: TableState<AuditFilter> }) {
  const { text, formats } = useTexts()
  const { compare } = new Intl.Collator(formats.locale)
  const types = EVENT_TYPES.map((id) => ({ id, text: text(textOfEvent(id)) })).sort((a, b) => compare(a.text, b.text))
  const field = (name: AuditFilter) => ({
    value: state.get(name),
    onChange: (value: string) => state.change({ [name]: value }),
  })
  return (
    <div className="filters labelled">
      <SearchField label={text('consoleSystem.account')} hint={text('consoleSystem.accountHint')} {...field('user')} />
      <NativeSelect
        label={text('consoleSystem.event')}
        placeholder={text('consoleSystem.allEvents')}
        choices={types}
        {...field('type')}
      />
      <NativeSelect
        label={text('consoleSystem.result')}
        placeholder={text('consoleSystem.allResults')}
        choices={[
          { id: 'success', text: text('consoleSystem.success') },
          { id: 'failure', text: text('consoleSystem.failure') },
        ]}
        {...field('result')}
      />
      <TextField label={text('console.fromDay')} type="date" {...field('from')} />
      <TextField label={text('console.toDay')} type="date" {...field('to')} />
    </div>
  )
}
