import { Loading, notices, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { OwnUser, WebhookDelivery } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { RecordHeading } from '../../parts/page/record-heading.tsx'
import { Facts, Section } from '../../parts/page/section.tsx'
import { Pill } from '../../parts/pill.tsx'
import { lastTableUrl } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { developersProblemText } from '../developers-problem-text.ts'
import { deliveryQuery } from '../queries.ts'
import { useDevelopersAction } from '../use-developers-action.ts'
import { Headers, Payload } from './message-parts.tsx'
import { attemptText, DELIVERY_STATUS, isDue } from './status.ts'

export interface DeliveryPageProps {
  endpointId: string
  deliveryId: string
  user: OwnUser
}

/** The request of a delivery, and the response to each attempt. */
export function DeliveryPage({ endpointId, deliveryId, user }: DeliveryPageProps) {
  const { text, formats } = useTexts()
  const found = useQuery(deliveryQuery(endpointId, deliveryId))
  const back = {
    href: lastTableUrl(`/developers/webhooks/${endpointId}`),
    text: text('consoleDevelopers.deliveries'),
  }
  const delivery = found.data
  if (delivery === undefined) {
    if (found.error === null) return <Loading />
    return (
      <Failure
        error={found.error}
        onRetry={() => void found.refetch()}
        missing={text('consoleDevelopers.deliveryMissing')}
        back={back}
      />
    )
  }
  const { tone, text: status } = DELIVERY_STATUS[delivery.status]
  return (
    <>
      <Crumbs back={back} />
      <Page
        title={delivery.eventType}
        heading={
          <RecordHeading>
            {delivery.eventType}
            <Pill tone={tone}>{text(status)}</Pill>
          </RecordHeading>
        }
        actions={
          mayUse(user, 'webhooks:write') && mayUse(user, 'events:read') ? (
            <Retry endpointId={endpointId} delivery={delivery} />
          ) : null
        }
      >
        <p className="note order-placed">
          {delivery.eventId} · {formats.dateTime(delivery.createdAt)}
        </p>
        <div className="column">
          <AttemptsSection delivery={delivery} />
          <RequestSection delivery={delivery} />
        </div>
      </Page>
    </>
  )
}

function Retry({ endpointId, delivery }: { endpointId: string; delivery: WebhookDelivery }) {
  const texts = useTexts()
  const retry = useDevelopersAction(async () => platen.webhookEndpoints.retryDelivery(endpointId, delivery.id), {
    done: texts.text('consoleDevelopers.doneRetry'),
  })
  const run = (): void =>
    retry.mutate(undefined, {
      onError: (error) => notices.add({ text: developersProblemText(texts, error), tone: 'danger' }),
    })
  useShortcuts(retry.isPending ? [] : [{ keys: 'r', title: 'consoleDevelopers.retry', run }])
  return (
    <Button look="primary" isPending={retry.isPending} onPress={run}>
      {texts.text('consoleDevelopers.retry')}
    </Button>
  )
}

function AttemptsSection({ delivery: { attempts, nextAttemptAt } }: { delivery: WebhookDelivery }) {
  const { text, formats } = useTexts()
  return (
    <Section title={text('consoleDevelopers.attempts')}>
      {attempts.length === 0 ? <p className="note">{text('consoleDevelopers.noAttempts')}</p> : null}
      {nextAttemptAt === undefined ? null : (
        <p className="note">
          {isDue(nextAttemptAt)
            ? text('consoleDevelopers.nextAttemptNow')
            : text('consoleDevelopers.nextAttemptAt', { time: formats.dateTime(nextAttemptAt) })}
        </p>
      )}
      <ol className="attempts">
        {attempts.toReversed().map((attempt) => (
          <li key={attempt.at}>
            <h3>
              {attemptText(text, attempt)}{' '}
              <span className="note">
                {formats.dateTime(attempt.at)} · {formats.number(attempt.durationMs)} ms
              </span>
            </h3>
            {attempt.detail === undefined ? null : <p className="note">{attempt.detail}</p>}
            <Headers headers={attempt.responseHeaders} title={text('consoleDevelopers.responseHeaders')} />
            <Payload text={attempt.responseBody} title={text('consoleDevelopers.responseBody')} />
          </li>
        ))}
      </ol>
    </Section>
  )
}

function RequestSection({ delivery: { request } }: { delivery: WebhookDelivery }) {
  const { text } = useTexts()
  if (request === undefined) return null
  return (
    <Section title={text('consoleDevelopers.request')}>
      <Facts facts={[[text('consoleDevelopers.url'), request.url]]} />
      <Headers headers={request.headers} title={text('consoleDevelopers.requestHeaders')} />
      <Payload text={request.body} title={text('consoleDevelopers.requestBody')} />
    </Section>
  )
}
