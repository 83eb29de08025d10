import { Loading, Page } from '@platen/app/frame'
import type { RequestLogEntry } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { Facts, Section } from '../../parts/page/section.tsx'
import { lastTableUrl } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { requestQuery } from '../queries.ts'
import { RequestStatus } from './request-status.tsx'

const PATH = '/developers/requests'

const KINDS: Readonly<Record<string, MessageKey>> = {
  session: 'consoleDevelopers.bySession',
  api_key: 'consoleDevelopers.byKey',
  guest: 'consoleDevelopers.byGuest',
  customer_token: 'consoleDevelopers.byCustomerToken',
}

/** What is known about one request. */
export function RequestPage({ requestId }: { requestId: string }) {
  const { text } = useTexts()
  const found = useQuery(requestQuery(requestId))
  const back = { href: lastTableUrl(PATH), text: text('consoleDevelopers.requests') }
  const entry = found.data
  if (entry === undefined) {
    if (found.error === null) return <Loading />
    return (
      <Failure
        error={found.error}
        onRetry={() => void found.refetch()}
        missing={text('consoleDevelopers.requestMissing')}
        back={back}
      />
    )
  }
  return (
    <>
      <Crumbs back={back} />
      <Page title={`${entry.method} ${entry.route ?? text('consoleDevelopers.unknownPath')}`}>
        <div className="column">
          <RequestFacts entry={entry} />
          <CallerFacts entry={entry} />
        </div>
      </Page>
    </>
  )
}

function RequestFacts({ entry }: { entry: RequestLogEntry }) {
  const { text, formats } = useTexts()
  const { id, status, problem, operationId, parameters, endedAt, durationMs } = entry
  return (
    <Section title={text('consoleDevelopers.request')}>
      <Facts
        facts={[
          [text('consoleDevelopers.requestId'), id],
          [text('console.status'), <RequestStatus key="status" status={status} />],
          [
            text('consoleDevelopers.problem'),
            problem === null ? null : (
              <Documented key="problem" to={`/problems/${problem}`}>
                {problem}
              </Documented>
            ),
          ],
          [
            text('consoleDevelopers.operation'),
            operationId === null ? null : (
              <Documented key="operation" to={`/docs/search?q=${operationId}`}>
                {operationId}
              </Documented>
            ),
          ],
          [text('consoleDevelopers.parameters'), parameters.join(', ')],
          [text('consoleDevelopers.time'), formats.dateTime(endedAt)],
          [
            text('consoleDevelopers.responseTime'),
            text('consoleDevelopers.milliseconds', { count: formats.number(durationMs) }),
          ],
        ]}
      />
    </Section>
  )
}

/** Leads to the documentation, which is outside of the console. */
function Documented({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={to} className="other-link">
      {children}
    </a>
  )
}

function CallerFacts({ entry: { caller, network } }: { entry: RequestLogEntry }) {
  const { text } = useTexts()
  const requestsOf = (name: 'user' | 'key', id: string | null) =>
    id === null ? null : (
      <Link href={`${PATH}?${name}=${id}`} className="other-link">
        {id}
      </Link>
    )
  const kind = caller === null ? 'consoleDevelopers.anonymous' : KINDS[caller.kind]
  const isKey = caller?.kind === 'api_key'
  return (
    <Section title={text('consoleDevelopers.caller')}>
      <Facts
        facts={[
          [text('consoleDevelopers.credential'), kind === undefined ? caller?.kind : text(kind)],
          [text('consoleDevelopers.accountId'), requestsOf('user', caller?.userId ?? null)],
          [text('consoleDevelopers.actorId'), requestsOf('user', caller?.actorId ?? null)],
          [text('consoleDevelopers.keyId'), isKey ? requestsOf('key', caller.credentialId) : null],
          [text('consoleDevelopers.network'), network],
        ]}
      />
    </Section>
  )
}
