import type { OrderStatistics, OwnUser } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { failedText } from '../developers/webhooks/status.ts'
import { Section } from '../parts/page/section.tsx'
import { Pill } from '../parts/pill.tsx'
import { problemText } from '../shell/problem-text.ts'
import { statisticsQuery } from './queries.ts'

/** No event announces that a delivery has failed. */
const REFRESH_MS = 30_000
type FailingEndpoint = NonNullable<OrderStatistics['failingEndpoints']>[number]

/**
 * The deliveries to endpoints of the shop that failed for good. Users who may not read endpoints see only how many. While
 * none has failed, nothing is shown: many shops have no endpoint.
 */
export function FailedDeliveries({ user }: { user: OwnUser }) {
  const texts = useTexts()
  const { data, error } = useQuery({ ...statisticsQuery(1), refetchInterval: REFRESH_MS })
  if (data === undefined && error === null) return null
  if (data !== undefined && !(data.failedDeliveries > 0)) return null
  return (
    <Section title={texts.text('console.failedDeliveries')}>
      {error === null ? null : <Banner tone="danger">{problemText(texts, error)}</Banner>}
      {data === undefined ? null : <Failures figures={data} user={user} />}
    </Section>
  )
}

function Failures({
  figures: { failedDeliveries, failingEndpoints = [] },
  user,
}: {
  figures: OrderStatistics
  user: OwnUser
}) {
  const { text } = useTexts()
  if (failingEndpoints.length === 0) {
    return (
      <>
        <p>
          <FailureCount count={failedDeliveries} />
        </p>
        <p className="note">{text('console.failedDeliveriesHelp')}</p>
      </>
    )
  }
  return (
    <ul className="attention-list">
      {failingEndpoints.map((endpoint) => (
        <li key={endpoint.id}>
          {endpoint.owner.userId === user.id ? (
            <Link href={`/developers/webhooks/${endpoint.id}?status=failed`} className="attention-order">
              <EndpointName endpoint={endpoint} />
            </Link>
          ) : (
            <div className="attention-order">
              <EndpointName endpoint={endpoint} />
              <span className="attention-note">
                {text('console.endpointOf', { owner: endpoint.owner.name ?? endpoint.owner.email })}
              </span>
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

function EndpointName({ endpoint: { host, description, failedDeliveries } }: { endpoint: FailingEndpoint }) {
  return (
    <>
      <span className="attention-number endpoint-name">{description || host}</span>
      <FailureCount count={failedDeliveries} />
    </>
  )
}

function FailureCount({ count }: { count: number }) {
  const { text } = useTexts()
  return <Pill tone="danger">{failedText(text, count)}</Pill>
}
