import { Page } from '@platen/app/frame'
import { useTexts } from '@platen/ui'
import { AttentionList } from './attention-list.tsx'
import { Figures } from './figures.tsx'
import { OpenOrders } from './open-orders.tsx'

/** What the shop has to do now, and how it goes. */
export function TodayPage() {
  const { text } = useTexts()
  return (
    <Page title={text('console.today')}>
      <div className="today">
        <OpenOrders />
        <div className="attention">
          <AttentionList
            title={text('console.onHold')}
            empty={text('console.nothingOnHold')}
            query={{ status: 'on_hold', sort: 'createdAt' }}
            all="/orders?status=on_hold"
            noteOf={({ hold }) => hold?.reason}
          />
          <AttentionList
            title={text('console.waitsLongest')}
            empty={text('console.nothingWaits')}
            query={{ status: 'confirmed,in_production,partially_shipped', sort: 'createdAt' }}
            all="/orders?status=confirmed,in_production,partially_shipped&sort=createdAt"
          />
          <AttentionList
            title={text('console.failedFiles')}
            empty={text('console.noFailedFiles')}
            query={{ personalization: 'failed' }}
          />
        </div>
        <Figures />
      </div>
    </Page>
  )
}
