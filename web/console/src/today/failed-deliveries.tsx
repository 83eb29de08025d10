import type { WebhookEndpoint } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { endpointListQuery } from '../developers/queries.ts'
import { failedText } from '../developers/webhooks/status.ts'
import { Pill } from '../parts/pill.tsx'
import { Section } from '../parts/section.tsx'
import { problemText } from '../shell/problem-text.ts'

/** No event announces that a delivery has failed. */
const REFRESH_MS = 30_000
/** The endpoints of the user with deliveries that failed for good. Users without an endpoint have no use for it. */
export function FailedDeliveries() {
  const texts = useTexts()
  const { text } = texts
  const endpoints = useQuery({ ...endpointListQuery(), staleTime: 0, refetchInterval: REFRESH_MS })
  // Most users have no endpoint, and a section that goes away again would move the page.
  if (endpoints.isPending || endpoints.data?.length === 0) return null
  const failing = endpoints.data?.filter(({ failedDeliveries = 0 }) => failedDeliveries > 0)
  return (
    <Section title={text('console.failedDeliveries')}>
      {endpoints.error === null ? null : <Banner tone="danger">{problemText(texts, endpoints.error)}</Banner>}
      {failing?.length === 0 ? <p className="note">{text('console.noFailedDeliveries')}</p> : null}
      <ul className="attention-list">
        {failing?.map((endpoint) => (
          <li key={endpoint.id}>
            <EndpointLink endpoint={endpoint} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function EndpointLink({ endpoint: { id, url, description, failedDeliveries = 0 } }: { endpoint: WebhookEndpoint }) {
  const { text } = useTexts()
  return (
    <Link href={`/developers/webhooks/${id}?status=failed`} className="attention-order">
      <span className="attention-number endpoint-name">{description ?? url}</span>
      <Pill tone="danger">{failedText(text, failedDeliveries)}</Pill>
    </Link>
  )
}
