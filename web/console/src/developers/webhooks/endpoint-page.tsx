import { Loading, Page } from '@platen/app/frame'
import type { OwnUser, WebhookEndpoint } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { mayUse } from '../../access/may-use.ts'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { RecordHeading } from '../../parts/page/record-heading.tsx'
import { Facts, Section } from '../../parts/page/section.tsx'
import { Pill } from '../../parts/pill.tsx'
import { Failure } from '../../shell/failure.tsx'
import { endpointQuery } from '../queries.ts'
import { DeliveryTable } from './delivery-table.tsx'
import { EndpointActions } from './endpoint-actions.tsx'
import { endpointStatus, isDue } from './status.ts'

/** An endpoint with its deliveries, and what can be done with it. */
export function EndpointPage({ endpointId, user }: { endpointId: string; user: OwnUser }) {
  const { text } = useTexts()
  const endpoint = useQuery(endpointQuery(endpointId))
  const back = { href: '/developers/webhooks', text: text('consoleDevelopers.webhooks') }
  if (endpoint.error !== null && endpoint.data === undefined) {
    return (
      <Failure
        error={endpoint.error}
        onRetry={() => void endpoint.refetch()}
        missing={text('consoleDevelopers.endpointMissing')}
        back={back}
      />
    )
  }
  if (endpoint.data === undefined) return <Loading />
  const { tone, text: status } = endpointStatus(endpoint.data)
  const name = endpoint.data.description || endpoint.data.url
  return (
    <>
      <Crumbs back={back} />
      <Page
        title={name}
        heading={
          <RecordHeading className="url-heading">
            {name}
            <Pill tone={tone}>{text(status)}</Pill>
          </RecordHeading>
        }
        actions={mayUse(user, 'webhooks:write') ? <EndpointActions endpoint={endpoint.data} user={user} /> : null}
      >
        <div className="column">
          <FailingBanner endpoint={endpoint.data} />
          <FactsSection endpoint={endpoint.data} />
          <DeliveryTable endpointId={endpointId} />
        </div>
      </Page>
    </>
  )
}

/** Without it, deliveries that are not made yet would look lost. */
function FailingBanner({ endpoint: { status, failingSince } }: { endpoint: WebhookEndpoint }) {
  const { text, formats } = useTexts()
  if (status === 'disabled' || failingSince === undefined) return null
  return (
    <Banner tone="danger">{text('consoleDevelopers.failingHelp', { time: formats.dateTime(failingSince) })}</Banner>
  )
}

function FactsSection({ endpoint }: { endpoint: WebhookEndpoint }) {
  const { text, formats } = useTexts()
  const { url, description, types, createdAt, disabledAt, previousSecretEndsAt: ends } = endpoint
  return (
    <Section title={text('consoleDevelopers.endpoint')}>
      <Facts
        facts={[
          // The heading states it if there is no description.
          [text('consoleDevelopers.url'), description ? url : undefined],
          [text('consoleDevelopers.events'), types?.join(', ') ?? text('consoleDevelopers.allEvents')],
          [text('consoleDevelopers.created'), formats.dateTime(createdAt)],
          [
            text('consoleDevelopers.disabledSince'),
            disabledAt === undefined ? undefined : formats.dateTime(disabledAt),
          ],
          [
            text('consoleDevelopers.oldSecretSignsUntil'),
            ends === undefined || isDue(ends) ? undefined : formats.dateTime(ends),
          ],
        ]}
      />
    </Section>
  )
}
