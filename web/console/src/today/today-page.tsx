import { Page } from '@platen/app/frame'
import { useTexts } from '@platen/ui'
import type { PageProps } from '../shell/console-page.ts'
import { AttentionList } from './attention-list.tsx'
import { FailedDeliveries } from './failed-deliveries.tsx'
import { Figures } from './figures.tsx'
import { LateOrders } from './late-orders.tsx'
import { OrderCounts } from './order-counts.tsx'

/** No event announces a dispute. */
const DISPUTES_MS = 60_000

/** What the shop has to do now, and how it goes. */
export function TodayPage({ user }: PageProps) {
  const { text } = useTexts()
  return (
    <Page title={text('console.today')}>
      <div className="today">
        <OrderCounts user={user} />
        <div className="attention">
          <AttentionList
            title={text('console.onHold')}
            empty={text('console.nothingOnHold')}
            query={{ status: 'on_hold', sort: 'createdAt' }}
            all="/orders?status=on_hold"
            noteOf={({ hold }) => hold?.reason}
          />
          <LateOrders />
          <AttentionList
            title={text('console.failedFiles')}
            empty={text('console.noFailedFiles')}
            query={{ personalization: 'failed' }}
            all="/orders?files=failed"
          />
          <AttentionList
            title={text('console.disputes')}
            query={{ disputed: 'true' }}
            all="/orders?disputed=true"
            sinceOf={({ payment }) => payment.disputedAt}
            refreshMs={DISPUTES_MS}
          />
          <FailedDeliveries user={user} />
        </div>
        <Figures />
      </div>
    </Page>
  )
}
