import { Loading } from '@platen/app/frame'
import type { WebhookDelivery } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Section } from '../../parts/page/section.tsx'
import { Pill } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { noteOpened, usePlace } from '../../parts/table/use-place.ts'
import { useTableState } from '../../parts/table/use-table-state.ts'
import { Time } from '../../parts/time.tsx'
import { developersProblemText } from '../developers-problem-text.ts'
import { deliveryListQuery } from '../queries.ts'
import { attemptText, DELIVERY_STATUS, DELIVERY_STATUSES, isDue } from './status.ts'

const PAGE_SIZE = 50

/** The deliveries of an endpoint, newest first. */
export function DeliveryTable({ endpointId }: { endpointId: string }) {
  const texts = useTexts()
  const { text } = texts
  const state = useTableState<'status'>()
  const status = DELIVERY_STATUSES.find((one) => one === state.get('status'))
  const cursor = state.get('cursor')
  const deliveries = useQuery(
    deliveryListQuery(endpointId, {
      limit: PAGE_SIZE,
      ...(status === undefined ? {} : { status }),
      ...(cursor === '' ? {} : { cursor }),
    }),
  )
  const rows = deliveries.data?.data
  const lastOpened = usePlace(state.url, rows !== undefined)
  const columns = useColumns(endpointId)
  const views = [
    { id: '', title: text('console.allOrders') },
    ...DELIVERY_STATUSES.map((id) => ({ id, title: text(DELIVERY_STATUS[id].text) })),
  ]
  return (
    <Section title={text('consoleDevelopers.deliveries')}>
      <nav className="views" aria-label={text('consoleDevelopers.viewsOfDeliveries')}>
        <ul>
          {views.map(({ id, title }) => (
            <li key={id}>
              <Link href={state.urlWith({ status: id })} {...(id === (status ?? '') ? { 'aria-current': 'page' } : {})}>
                {title}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {deliveries.error === null ? null : (
        <Banner tone="danger">{developersProblemText(texts, deliveries.error)}</Banner>
      )}
      {rows === undefined ? (
        deliveries.error === null ? (
          <Loading />
        ) : null
      ) : rows.length === 0 ? (
        <p className="note">{text('consoleDevelopers.noDeliveries')}</p>
      ) : (
        <DataTable
          label={text('consoleDevelopers.deliveries')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          isStale={deliveries.isPlaceholderData}
          current={lastOpened}
        />
      )}
      <Pager state={state} nextCursor={deliveries.data?.nextCursor ?? null} />
    </Section>
  )
}

function useColumns(endpointId: string): readonly Column<WebhookDelivery>[] {
  const { text, formats } = useTexts()
  const path = `/developers/webhooks/${endpointId}`
  return [
    {
      id: 'type',
      title: text('consoleDevelopers.event'),
      cell: ({ id, eventType, eventId }) => (
        <>
          <Link href={`${path}/deliveries/${id}`} className="row-link" data-row onClick={() => noteOpened(path, id)}>
            {eventType}
          </Link>
          <span className="cell-note from-45">{eventId}</span>
        </>
      ),
    },
    {
      id: 'status',
      title: text('console.status'),
      cell: ({ status }) => <Pill tone={DELIVERY_STATUS[status].tone}>{text(DELIVERY_STATUS[status].text)}</Pill>,
    },
    {
      id: 'answer',
      title: text('consoleDevelopers.lastResponse'),
      from: 30,
      cell: ({ attempts }) => attemptText(text, attempts.at(-1)),
    },
    {
      id: 'next',
      title: text('consoleDevelopers.nextAttempt'),
      from: 60,
      cell: ({ status, nextAttemptAt }) => {
        if (nextAttemptAt === undefined) return status === 'pending' ? text('consoleDevelopers.nextAttemptLater') : '–'
        return isDue(nextAttemptAt) ? text('consoleDevelopers.nextAttemptDue') : formats.dateTime(nextAttemptAt)
      },
    },
    {
      id: 'created',
      title: text('consoleDevelopers.created'),
      from: 45,
      cell: ({ createdAt }) => <Time at={createdAt} />,
    },
  ]
}
