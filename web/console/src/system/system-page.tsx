import { Loading, Page } from '@platen/app/frame'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import type { PageProps } from '../shell/console-page.ts'
import { Failure } from '../shell/failure.tsx'
import { AuditFault } from './audit/audit-verification.tsx'
import { JobsSection } from './jobs-section.tsx'
import { systemStatusQuery } from './queries.ts'
import { PartsSection, WorkSection } from './status-sections.tsx'
import { SystemViews } from './system-views.tsx'

export function SystemPage({ user }: PageProps) {
  const { text } = useTexts()
  const status = useQuery(systemStatusQuery())
  if (status.data === undefined) {
    if (status.error === null) return <Loading />
    return <Failure error={status.error} onRetry={() => void status.refetch()} />
  }
  return (
    <Page title={text('console.system')}>
      <SystemViews />
      <AuditFault auditLog={status.data.auditLog} />
      <div className="column">
        <PartsSection status={status.data} isOld={status.isError} />
        <WorkSection status={status.data} />
        <JobsSection kinds={status.data.jobs.kinds} user={user} />
      </div>
    </Page>
  )
}
