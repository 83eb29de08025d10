import { Loading, Page } from '@platen/app/frame'
import type { OwnUser, WebhookEndpoint } from '@platen/client'
import { Button, EmptyState, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Pill } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { noteOpened, usePlace } from '../../parts/table/use-place.ts'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { DevelopersViews } from '../developers-views.tsx'
import { DocsLink } from '../docs-link.tsx'
import { endpointListQuery } from '../queries.ts'
import { SecretDialog } from '../secret-dialog.tsx'
import { EndpointDialog } from './endpoint-dialog.tsx'
import { endpointStatus, failedText } from './status.ts'

const PATH = '/developers/webhooks'

export function EndpointListPage({ user }: { user: OwnUser }) {
  const { text } = useTexts()
  const endpoints = useQuery(endpointListQuery())
  const rows = endpoints.data
  const lastOpened = usePlace(PATH, rows !== undefined)
  const columns = useColumns()
  if (endpoints.error !== null && rows === undefined) {
    return <Failure error={endpoints.error} onRetry={() => void endpoints.refetch()} />
  }
  return (
    <Page
      title={text('consoleDevelopers.webhooks')}
      actions={mayUse(user, 'webhooks:write') && mayUse(user, 'events:read') ? <AddEndpoint /> : null}
    >
      <DevelopersViews />
      <p className="note page-help">
        {text('consoleDevelopers.webhooksHelp')}{' '}
        <DocsLink to="/docs/guides/receiving-webhooks" title="consoleDevelopers.webhooksGuide" />
        {' · '}
        <DocsLink to="/docs/reference/webhooks" title="account.apiReference" />
      </p>
      {rows === undefined ? (
        <Loading />
      ) : rows.length === 0 ? (
        <EmptyState icon="link" title={text('consoleDevelopers.noEndpoints')}>
          {text('consoleDevelopers.noEndpointsHelp')}
        </EmptyState>
      ) : (
        <DataTable
          label={text('consoleDevelopers.webhooks')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          current={lastOpened}
        />
      )}
    </Page>
  )
}

/** Adds an endpoint, shows its secret, and goes on to its page. */
function AddEndpoint() {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [isOpen, setOpen] = useState(false)
  const [added, setAdded] = useState<{ id: string; secret: string | null }>()
  useShortcuts([{ keys: 'n', title: 'consoleDevelopers.addEndpoint', run: () => setOpen(true) }])
  return (
    <>
      <Button look="primary" onPress={() => setOpen(true)}>
        <Icon name="plus" size={18} />
        {text('consoleDevelopers.addEndpoint')}
      </Button>
      {isOpen ? (
        <EndpointDialog
          onClose={() => setOpen(false)}
          onDone={(result) => {
            setOpen(false)
            setAdded({ id: result.id, secret: 'secret' in result ? result.secret : null })
          }}
        />
      ) : null}
      {added === undefined ? null : (
        <SecretDialog
          title={text('consoleDevelopers.yourSecret')}
          secret={added.secret}
          help={text('consoleDevelopers.secretHelp')}
          onClose={() => navigate(`${PATH}/${added.id}`)}
        />
      )}
    </>
  )
}

function useColumns(): readonly Column<WebhookEndpoint>[] {
  const { text } = useTexts()
  return [
    {
      id: 'url',
      title: text('consoleDevelopers.url'),
      cell: ({ id, url, description }) => (
        <>
          <Link href={`${PATH}/${id}`} className="row-link wraps" data-row onClick={() => noteOpened(PATH, id)}>
            {url}
          </Link>
          {description === null ? null : <span className="cell-note">{description}</span>}
        </>
      ),
    },
    {
      id: 'events',
      title: text('consoleDevelopers.events'),
      from: 60,
      cell: ({ types }) => types?.join(', ') ?? text('consoleDevelopers.allEvents'),
    },
    {
      id: 'status',
      title: text('console.status'),
      cell: (endpoint) => {
        const { tone, text: key } = endpointStatus(endpoint)
        const { failedDeliveries = 0 } = endpoint
        return (
          <>
            <Pill tone={tone}>{text(key)}</Pill>{' '}
            {failedDeliveries === 0 ? null : <Pill tone="danger">{failedText(text, failedDeliveries)}</Pill>}
          </>
        )
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
