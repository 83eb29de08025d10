import { Loading, notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { Job, OwnUser, SystemStatus } from '@platen/client'
import { Banner, Button, type MessageKey, NativeSelect, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { mayUse } from '../access/may-use.ts'
import { useShortcuts } from '../keys/shortcuts.ts'
import { Section } from '../parts/page/section.tsx'
import { Pill, type Tone } from '../parts/pill.tsx'
import { type Column, DataTable } from '../parts/table/data-table.tsx'
import { Pager } from '../parts/table/pager.tsx'
import { useTableState } from '../parts/table/use-table-state.ts'
import { Time } from '../parts/time.tsx'
import { useGuardedAction } from '../parts/use-guarded-action.ts'
import { jobListQuery, SYSTEM } from './queries.ts'
import { systemProblemText } from './system-problem-text.ts'

const PAGE_SIZE = 50

const STATES = {
  failed: { tone: 'danger', text: 'consoleSystem.failed', view: 'consoleSystem.failedJobs' },
  waiting: { tone: 'neutral', text: 'consoleSystem.waiting', view: 'consoleSystem.waitingJobs' },
  running: { tone: 'info', text: 'consoleSystem.running', view: 'consoleSystem.runningJobs' },
} as const satisfies Record<Job['state'], { tone: Tone; text: MessageKey; view: MessageKey }>

export interface JobsSectionProps {
  kinds: SystemStatus['jobs']['kinds']
  user: OwnUser
}

/** The background jobs, by default those that have failed. */
export function JobsSection({ kinds, user }: JobsSectionProps) {
  const texts = useTexts()
  const { text } = texts
  const tableState = useTableState<'state' | 'kind'>()
  const state = stateOf(tableState.get('state'))
  const [kind, cursor] = [tableState.get('kind').slice(0, 128), tableState.get('cursor')]
  const query = { state, limit: PAGE_SIZE, ...(kind === '' ? {} : { kind }), ...(cursor === '' ? {} : { cursor }) }
  const jobs = useQuery(jobListQuery(query))
  const columns = useColumns(user)
  return (
    <Section title={text('consoleSystem.jobs')}>
      <nav className="views" aria-label={text('consoleSystem.viewsOfJobs')}>
        <ul>
          {(Object.keys(STATES) as Job['state'][]).map((id) => (
            <li key={id}>
              <Link href={tableState.urlWith({ state: id })} {...(id === state ? { 'aria-current': 'page' } : {})}>
                {text(STATES[id].view)}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <div className="filters labelled">
        <NativeSelect
          label={text('consoleSystem.kind')}
          placeholder={text('consoleSystem.allKinds')}
          choices={[...new Set([...kinds.map((one) => one.kind), ...(kind === '' ? [] : [kind])])].map((id) => ({
            id,
            text: id,
          }))}
          value={kind}
          onChange={(next) => tableState.change({ kind: next })}
        />
      </div>
      {jobs.error === null ? null : <Banner tone="danger">{systemProblemText(texts, jobs.error)}</Banner>}
      <JobTable jobs={jobs.data?.data} isStale={jobs.isPlaceholderData} isFailed={jobs.isError} columns={columns} />
      <Pager state={tableState} nextCursor={jobs.data?.nextCursor ?? null} />
    </Section>
  )
}

/** Returns the state whose jobs are shown. A URL may have been typed. */
function stateOf(typed: string): Job['state'] {
  return (Object.keys(STATES) as Job['state'][]).find((known) => known === typed) ?? 'failed'
}

interface JobTableProps {
  jobs: readonly Job[] | undefined
  isStale: boolean
  isFailed: boolean
  columns: readonly Column<Job>[]
}

function JobTable({ jobs, isStale, isFailed, columns }: JobTableProps) {
  const { text } = useTexts()
  if (jobs === undefined) return isFailed ? null : <Loading />
  if (jobs.length === 0) return <p className="note">{text('consoleSystem.noJobs')}</p>
  return (
    <DataTable
      label={text('consoleSystem.jobs')}
      columns={columns}
      rows={jobs}
      keyOf={({ id }) => id}
      isStale={isStale}
    />
  )
}

function useColumns(user: OwnUser): readonly Column<Job>[] {
  const { text, formats } = useTexts()
  const mayRetry = mayUse(user, 'system:write')
  return [
    {
      id: 'kind',
      title: text('consoleSystem.kind'),
      cell: ({ kind, error }) => (
        <>
          <span className="cell-text">{kind}</span>
          {error === null ? null : <span className="cell-note">{error}</span>}
        </>
      ),
    },
    {
      id: 'state',
      title: text('console.status'),
      from: 30,
      cell: ({ state }) => <Pill tone={STATES[state].tone}>{text(STATES[state].text)}</Pill>,
    },
    {
      id: 'attempts',
      title: text('consoleSystem.attempts'),
      from: 45,
      isNumber: true,
      cell: ({ attempts, maxAttempts }) => `${formats.number(attempts)} / ${formats.number(maxAttempts)}`,
    },
    {
      id: 'next',
      title: text('consoleSystem.nextRun'),
      from: 60,
      cell: ({ state, runAt }) => (state === 'waiting' ? formats.dateTime(runAt) : '–'),
    },
    { id: 'created', title: text('consoleSystem.created'), from: 60, cell: ({ createdAt }) => <Time at={createdAt} /> },
    ...(mayRetry
      ? [
          {
            id: 'retry',
            title: text('consoleSystem.retry'),
            isTitleHidden: true,
            cell: (job: Job) => (isRetryable(job) ? <Retry job={job} /> : null),
          },
        ]
      : []),
  ]
}

/** Only after a failed attempt: the service refuses to run other jobs before their time. */
const isRetryable = ({ state, attempts }: Job): boolean => state !== 'running' && attempts > 0

function Retry({ job: { id, kind, createdAt } }: { job: Job }) {
  const texts = useTexts()
  const { text, formats } = texts
  const retry = useGuardedAction(SYSTEM, async () => platen.system.retryJob(id), {
    done: text('consoleSystem.doneRetry'),
  })
  const run = (): void =>
    retry.mutate(undefined, {
      onError: (error) => notices.add({ text: systemProblemText(texts, error), tone: 'danger' }),
    })
  useShortcuts([{ title: 'consoleSystem.retry', of: `${kind} · ${formats.dateTime(createdAt)}`, run }])
  return (
    <Button isPending={retry.isPending} onPress={run} aria-label={text('consoleSystem.retryJob', { kind })}>
      {text('consoleSystem.retry')}
    </Button>
  )
}
