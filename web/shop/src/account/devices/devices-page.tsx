import { Loading, notices, Page } from '@platen/app/frame'
import { useDeviceName } from '@platen/app/security'
import { platen } from '@platen/app/session'
import type { SessionList } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Failure } from '../../shell/failures/failure.tsx'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { More } from '../frame/more.tsx'
import { Row, Rows } from '../frame/rows.tsx'
import { Section } from '../frame/section.tsx'
import { useAction } from '../frame/use-action.ts'
import { sessionsQuery } from '../queries.ts'

/** Where the customer is signed in. */
export function DevicesPage() {
  const { text } = useTexts()
  const list = useInfiniteQuery(sessionsQuery())
  const endOthers = useAction(
    () => platen.auth.revokeOtherSessions(),
    () => notices.add({ text: text('account.othersEnded'), tone: 'good' }),
  )
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />
  if (list.data === undefined) return <Loading />
  const sessions = list.data.pages.flatMap(({ data }) => data)
  const others = sessions.filter(({ current }) => !current)
  return (
    <Page title={text('account.devices')}>
      <Section title={text('account.thisDevice')}>
        <Rows label={text('account.thisDevice')}>
          {sessions
            .filter(({ current }) => current)
            .map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
        </Rows>
      </Section>
      <Section
        title={text('account.otherDevices')}
        help={text(others.length === 0 ? 'account.noOtherDevices' : 'account.otherDevicesHelp')}
        action={
          others.length === 0 ? null : (
            <Button isPending={endOthers.isPending} onPress={() => endOthers.mutate()}>
              {text('account.endOthers')}
            </Button>
          )
        }
      >
        <ErrorBanner error={endOthers.error} />
        {others.length === 0 ? null : (
          <Rows label={text('account.otherDevices')}>
            {others.map((session) => (
              <SessionRow key={session.id} session={session} />
            ))}
          </Rows>
        )}
        <More list={list} />
      </Section>
    </Page>
  )
}

function SessionRow({ session }: { session: SessionList['data'][number] }) {
  const { text, formats } = useTexts()
  const { id, current, userAgent, ipAddress, createdAt, lastSeenAt } = session
  const name = useDeviceName()(userAgent)
  const end = useAction(
    () => platen.auth.revokeSession(id),
    () => notices.add({ text: text('account.sessionEnded', { name }), tone: 'good' }),
  )
  const notes = [
    ipAddress,
    text('account.signedInSince', { date: formats.dateTime(createdAt) }),
    ...(current ? [] : [text('account.lastActive', { when: formats.ago(lastSeenAt) })]),
  ]
  return (
    <Row
      icon="device"
      title={name}
      notes={end.error === null ? notes : [...notes, <ErrorBanner key="error" error={end.error} />]}
      action={
        current ? null : (
          <Button
            look="quiet"
            isPending={end.isPending}
            onPress={() => end.mutate()}
            aria-label={text('account.endSession', { name })}
          >
            {text('common.signOut')}
          </Button>
        )
      }
    />
  )
}
