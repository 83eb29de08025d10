import { designJobs } from './designs/index.ts'
import { eventJobs } from './events/index.ts'
import { orderJobs } from './orders/index.ts'
import type { Parts } from './parts.ts'
import { pruneIdempotencyKeys } from './platform/http/idempotency.ts'
import { type JobDefinition, type JobRunner, startJobRunner } from './platform/jobs.ts'
import { messageJobs } from './platform/mail.ts'
import { webhookJobs } from './webhooks/index.ts'

export function allJobs({
  auth,
  clock,
  log,
  config,
  database: { db },
  designs,
  orders,
  renderer,
  checker,
  storageJobs,
  webhooks,
}: Parts): JobDefinition[] {
  return [
    ...auth.jobs,
    ...designJobs({ ...designs, renderer: renderer.inBackground, checker: checker.inBackground }),
    ...orderJobs(orders),
    ...eventJobs({ db, clock }),
    ...webhookJobs(webhooks),
    ...storageJobs,
    ...messageJobs(db, { clock, log, smtpUrl: config.smtpUrl, from: config.mailFrom, smsUrl: config.sms?.url }),
    {
      name: 'idempotency.prune',
      cron: '41 * * * *',
      handle: () => pruneIdempotencyKeys(db, clock.now()),
    },
  ]
}

const JOB_CONNECTIONS = 6

export function startJobs(parts: Parts): JobRunner {
  // A pool of its own: two connections listen, and jobs run even while requests use every connection of the main pool.
  const own = parts.database.openApart({ application_name: 'platen jobs', max: JOB_CONNECTIONS })
  const runner = startJobRunner(own, allJobs(parts), parts.log)
  return {
    stop: async (withinMs) => {
      await runner.stop(withinMs)
      await own.close()
    },
  }
}
