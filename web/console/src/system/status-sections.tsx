import type { SystemStatus } from '@platen/client'
import { Banner, type MessageKey, useTexts } from '@platen/ui'
import type { ReactNode } from 'react'
import { Facts, Section } from '../parts/page/section.tsx'
import { Pill } from '../parts/pill.tsx'
import { Time } from '../parts/time.tsx'

const PARTS = {
  database: 'consoleSystem.database',
  storage: 'consoleSystem.storage',
  disk: 'consoleSystem.disk',
  checking: 'consoleSystem.checking',
  rendering: 'consoleSystem.rendering',
} as const satisfies Record<keyof SystemStatus['parts'], MessageKey>

/** Whether the parts of the service work, and which version runs since when. */
export function PartsSection({ status, isOld }: { status: SystemStatus; isOld: boolean }) {
  const { text } = useTexts()
  const { parts, version, startedAt } = status
  const names = Object.keys(PARTS) as (keyof typeof PARTS)[]
  return (
    <Section title={text('consoleSystem.parts')}>
      {isOld ? <Banner tone="warning">{text('consoleSystem.isOld')}</Banner> : null}
      <Facts
        facts={[
          ...names.map((name) => [text(PARTS[name]), <Works key={name} isWorking={parts[name]} />] as const),
          [text('consoleSystem.version'), version],
          [text('consoleSystem.startedAt'), <Time key="started" at={startedAt} />],
        ]}
      />
    </Section>
  )
}

function Works({ isWorking }: { isWorking: boolean }) {
  const { text } = useTexts()
  return isWorking ? (
    <Pill tone="good">{text('consoleSystem.works')}</Pill>
  ) : (
    <Pill tone="danger">{text('consoleSystem.worksNot')}</Pill>
  )
}

/** How much work waits, and since when. */
export function WorkSection({ status: { jobs, webhooks, messages } }: { status: SystemStatus }) {
  const { text, formats } = useTexts()
  const number = formats.number
  return (
    <Section title={text('consoleSystem.work')}>
      {jobs.runners === 0 ? <Banner tone="danger">{text('consoleSystem.noRunners')}</Banner> : null}
      <Facts
        facts={[
          [text('consoleSystem.runners'), number(jobs.runners)],
          [text('consoleSystem.jobsWaiting'), <Since key="jobs" count={number(jobs.waiting)} since={jobs.dueSince} />],
          [text('consoleSystem.jobsRunning'), number(jobs.running)],
          [
            text('consoleSystem.jobsFailed'),
            jobs.failed === 0 ? (
              number(0)
            ) : (
              <Pill key="failed" tone="danger">
                {number(jobs.failed)}
              </Pill>
            ),
          ],
          [
            text('consoleSystem.deliveriesWaiting'),
            <Since key="webhooks" count={number(webhooks.pending)} since={webhooks.pendingSince} />,
          ],
          [
            text('consoleSystem.messagesWaiting'),
            <Since key="messages" count={number(messages.waiting)} since={messages.waitingSince} />,
          ],
          [
            text('consoleSystem.mailServer'),
            text(messages.mailServer ? 'consoleSystem.mailServerSet' : 'consoleSystem.mailServerNone'),
          ],
        ]}
      />
    </Section>
  )
}

/** A number of records, with the age of the oldest one. */
function Since({ count, since }: { count: ReactNode; since: string | null }) {
  const { text } = useTexts()
  if (since === null) return count
  return (
    <>
      {count}{' '}
      <span className="note">
        {text('consoleSystem.oldest')} <Time at={since} />
      </span>
    </>
  )
}
