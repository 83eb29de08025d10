import { FEATURES } from './features.ts'
import { pruneIdempotencyKeys } from './platform/http/idempotency/idempotency.ts'
import { type JobDefinition, type JobRunner, startJobRunner } from './platform/jobs/jobs.ts'
import { messageJobs } from './platform/messages/mail.ts'
import type { Services } from './services.ts'

/** Lists the jobs that this process runs. */
export function allJobs(services: Services): JobDefinition[] {
  const jobs = listJobs(services)
  return services.config.send ? jobs : jobs.filter(({ isSending }) => isSending !== true)
}

function listJobs(services: Services): JobDefinition[] {
  const { clock, log, config, database, storageJobs } = services
  const { smtpUrl, mailFrom: from, sms } = config
  return [
    ...FEATURES.flatMap((feature) => feature.jobs?.(services) ?? []),
    ...storageJobs,
    ...messageJobs(database.db, { clock, log, smtpUrl, from, smsUrl: sms?.url }),
    {
      name: 'idempotency.prune',
      cron: '41 * * * *',
      handle: () => pruneIdempotencyKeys(database.db, clock.now()),
    },
  ]
}

const JOB_CONNECTIONS = 4

/**
 * Most jobs come once a minute or less often. In between, their connections would take memory of PostgreSQL, and no
 * client waits for a new one.
 */
const IDLE_MS = 10_000

export function startJobs(services: Services): JobRunner {
  // A separate pool: one connection listens for jobs, and jobs run even if requests use all connections of the main pool.
  const own = services.database.openApart({
    application_name: 'platen jobs',
    max: JOB_CONNECTIONS,
    idleTimeoutMillis: IDLE_MS,
  })
  const runner = startJobRunner(own, allJobs(services), services.log)
  return {
    stop: async (withinMs) => {
      await runner.stop(withinMs)
      await own.close()
    },
  }
}
