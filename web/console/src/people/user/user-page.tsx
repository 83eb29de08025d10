import { Loading, Page } from '@platen/app/frame'
import type { ManagedUser, OwnUser } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { mayUse } from '../../access/may-use.ts'
import { Crumbs } from '../../parts/page/crumbs.tsx'
import { RecordHeading } from '../../parts/page/record-heading.tsx'
import { Facts, Section } from '../../parts/page/section.tsx'
import { Pill } from '../../parts/pill.tsx'
import { lastTableUrl, noteOpened } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { StorageSection } from '../../storage/storage-section.tsx'
import { userQuery } from '../queries.ts'
import { RolePill } from '../role-pill.tsx'
import { AccessSection } from './access-section.tsx'
import { EventsSection } from './events-section.tsx'
import { FactorsSection } from './factors-section.tsx'
import { RoleSection } from './role-section.tsx'
import { SessionsSection } from './sessions-section.tsx'

export function UserPage({ userId, viewer }: { userId: string; viewer: OwnUser }) {
  const { text } = useTexts()
  const user = useQuery(userQuery(userId))
  const back = { href: lastTableUrl('/people'), text: text('console.people') }
  if (user.error !== null && user.data === undefined) {
    return (
      <Failure
        error={user.error}
        onRetry={() => void user.refetch()}
        missing={text('consolePeople.missing')}
        back={back}
      />
    )
  }
  if (user.data === undefined) return <Loading />
  noteOpened('/people', userId)
  return (
    <>
      <Crumbs back={back} />
      <Page title={user.data.email} heading={<Heading user={user.data} />}>
        <div className="columns">
          <div className="column">
            <RoleSection key={`${user.data.role} ${user.data.staffRole}`} user={user.data} viewer={viewer} />
            <SessionsSection user={user.data} viewer={viewer} />
            {mayUse(viewer, 'audit:read') ? <EventsSection user={user.data} /> : null}
          </div>
          <div className="column">
            <AccountSection user={user.data} />
            <FactorsSection user={user.data} viewer={viewer} />
            <StorageSection accountId={user.data.id} />
            <AccessSection user={user.data} viewer={viewer} />
          </div>
        </div>
      </Page>
    </>
  )
}

function Heading({ user }: { user: ManagedUser }) {
  const { text } = useTexts()
  return (
    <RecordHeading>
      {user.email}
      <RolePill of={user} />
      {user.disabled ? <Pill tone="danger">{text('consolePeople.disabled')}</Pill> : null}
    </RecordHeading>
  )
}

function AccountSection({ user }: { user: ManagedUser }) {
  const { text, formats } = useTexts()
  return (
    <Section title={text('consolePeople.account')}>
      <Facts
        facts={[
          [text('consolePeople.name'), user.name],
          [
            text('consolePeople.email'),
            <>
              {user.email} <span className="note">{user.emailVerified ? null : text('consolePeople.unverified')}</span>
            </>,
          ],
          [text('consolePeople.externalId'), user.externalId],
          [text('consolePeople.since'), formats.dateTime(user.createdAt)],
          [text('consolePeople.userId'), user.id],
        ]}
      />
      <p>
        <Link href={`/orders?q=${encodeURIComponent(user.email)}`}>{text('consolePeople.ordersOf')}</Link>
      </p>
    </Section>
  )
}
