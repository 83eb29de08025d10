import { Loading, Page } from '@platen/app/frame'
import type { OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { Section } from '../../parts/page/section.tsx'
import { Pill } from '../../parts/pill.tsx'
import { lastTableUrl, noteOpened } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { ORDER_STATUS, ORDER_STATUSES } from '../status.ts'
import { BatchActions } from './batch-actions.tsx'
import { batchName } from './batch-name.ts'
import { BatchOrders } from './batch-orders.tsx'
import { BatchProgress } from './batch-progress.tsx'
import { batchQuery } from './queries.ts'

/** What is left to do for the orders of a batch, and what can be done with all of them. */
export function BatchPage({ batchId, user }: { batchId: string; user: OwnUser }) {
  const texts = useTexts()
  const { text, formats } = texts
  const query = useQuery(batchQuery(batchId))
  const batch = query.data
  const back = { href: lastTableUrl('/batches'), text: text('console.batches') }
  if (query.error !== null && batch === undefined) {
    return (
      <Failure
        error={query.error}
        onRetry={() => void query.refetch()}
        missing={text('console.batchMissing')}
        back={back}
      />
    )
  }
  if (batch === undefined) return <Loading />
  noteOpened('/batches', batchId)
  return (
    <>
      <Crumbs back={back} />
      <Page title={batchName(texts, batch)} actions={<BatchActions batch={batch} user={user} />}>
        <div className="column">
          <Section title={text('console.bulkProgress')}>
            <BatchProgress batch={batch} />
            <ul className="batch-counts">
              {ORDER_STATUSES.filter((status) => batch.progress[status] > 0).map((status) => (
                <li key={status}>
                  <Pill tone={ORDER_STATUS[status].tone}>{text(ORDER_STATUS[status].text)}</Pill>{' '}
                  {formats.number(batch.progress[status])}
                </li>
              ))}
            </ul>
            {batch.closedAt === null ? null : (
              <p className="note">{text('console.batchClosedAt', { time: formats.dateTime(batch.closedAt) })}</p>
            )}
          </Section>
          <BatchOrders batch={batch} user={user} />
        </div>
      </Page>
    </>
  )
}
