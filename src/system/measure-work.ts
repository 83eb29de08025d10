import { Gauge, type Registry } from 'prom-client'
import { reuseBriefly } from '../platform/concurrency/reuse-briefly.ts'
import type { Db } from '../platform/db/index.ts'
import { HEARTBEAT } from '../platform/jobs/runners.ts'
import { countJobs, countRunners } from '../platform/jobs/stored-jobs.ts'
import { readHeldBack } from '../platform/outbox/index.ts'
import type { StatusDeps } from './read-status.ts'

export type WorkDeps = { db: Db } & Pick<StatusDeps, 'readMessageQueue' | 'readWebhookBacklog'>

/** One reading serves all metrics, and several programs that collect them. */
const REUSE_MS = 5_000

type Work = Awaited<ReturnType<typeof readWork>>

async function readWork({ db, readMessageQueue, readWebhookBacklog }: WorkDeps) {
  const [jobs, runners, webhooks, messages, events] = await Promise.all([
    countJobs(db),
    countRunners(db, HEARTBEAT.lostAfterMs),
    readWebhookBacklog(db),
    readMessageQueue(db),
    readHeldBack(db),
  ])
  return { jobs, runners, webhooks, messages, events, readAt: Date.now() }
}

/**
 * Exposes how much work waits in the database. All processes expose the same numbers. While the database does not
 * respond, these metrics are missing, and all others are still exposed.
 */
export function measureWork(registry: Registry, deps: WorkDeps): void {
  const read = reuseBriefly(() => readWork(deps), REUSE_MS)
  measureStoredJobs(registry, read)
  const gauge = (name: string, help: string, choose: (work: Work) => number): Gauge =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const work = await read().catch(() => undefined)
        if (work === undefined) this.remove()
        else this.set(choose(work))
      },
    })
  gauge('platen_job_runners', 'Job runners of all processes.', ({ runners }) => runners)
  gauge('platen_jobs_oldest_due_seconds', 'How long the oldest due job waits.', ({ jobs, readAt }) =>
    Math.max(0, ...jobs.map(({ dueSince }) => ageAt(readAt, dueSince))),
  )
  gauge(
    'platen_webhook_deliveries_pending',
    'Webhook deliveries to enabled endpoints that wait, at most 10,000.',
    ({ webhooks }) => webhooks.pending,
  )
  gauge('platen_webhook_oldest_pending_seconds', 'Age of the oldest of these deliveries.', ({ webhooks, readAt }) =>
    ageAt(readAt, webhooks.since),
  )
  gauge('platen_messages_waiting', 'Mails and text messages that are not sent.', ({ messages }) => messages.waiting)
  gauge('platen_messages_oldest_waiting_seconds', 'Age of the oldest of these messages.', ({ messages, readAt }) =>
    ageAt(readAt, messages.since),
  )
  gauge(
    'platen_events_held_back_seconds',
    'How long the oldest event waits for an older transaction of the database server.',
    ({ events }) => events.seconds,
  )
}

function measureStoredJobs(registry: Registry, read: () => Promise<Work>): void {
  new Gauge({
    name: 'platen_jobs',
    help: 'Stored background jobs, by kind and state: waiting, running or failed (no attempt left).',
    labelNames: ['kind', 'state'] as const,
    registers: [registry],
    async collect() {
      // Kinds without jobs disappear.
      this.reset()
      const work = await read().catch(() => undefined)
      for (const { kind, waiting, running, failed } of work?.jobs ?? []) {
        for (const [state, count] of Object.entries({ waiting, running, failed })) this.set({ kind, state }, count)
      }
    },
  })
}

/** Returns the age in seconds. 0 if there is no time, or if the clock of the database is ahead. */
function ageAt(nowMs: number, since: Date | null): number {
  return since === null ? 0 : Math.max(0, (nowMs - since.getTime()) / 1000)
}
