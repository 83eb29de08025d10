import { readVerification } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import { isDone, type Readiness } from '../platform/http/operations/readiness.ts'
import { HEARTBEAT } from '../platform/jobs/runners.ts'
import { countJobs, countRunners, type JobCount } from '../platform/jobs/stored-jobs.ts'
import type { MessageQueue } from '../platform/messages/mail.ts'
import { VERSION } from '../platform/version.ts'
import { type SystemStatusBody, toAuditLogBody } from './schemas.ts'

export interface StatusDeps {
  db: Db
  startedAt: Date
  readiness: Readiness
  hasMailServer: boolean
  readMessageQueue(db: Db): Promise<MessageQueue>
  readWebhookBacklog(db: Db): Promise<{ pending: number; since: Date | null }>
}

/** Reads the state of the parts of the service, and how much work waits. */
export async function readStatus(deps: StatusDeps): Promise<SystemStatusBody> {
  const { db, startedAt } = deps
  const [parts, kinds, runners, webhooks, messages, verification] = await Promise.all([
    checkParts(deps.readiness),
    countJobs(db),
    countRunners(db, HEARTBEAT.lostAfterMs),
    deps.readWebhookBacklog(db),
    deps.readMessageQueue(db),
    readVerification(db),
  ])
  return {
    version: VERSION,
    startedAt: startedAt.toISOString(),
    parts,
    jobs: { runners, ...sumOf(kinds), kinds: kinds.map((one) => ({ ...one, dueSince: timeOf(one.dueSince) })) },
    webhooks: { pending: webhooks.pending, pendingSince: timeOf(webhooks.since) },
    messages: {
      mailServer: deps.hasMailServer,
      waiting: messages.waiting,
      waitingSince: timeOf(messages.since),
    },
    auditLog: toAuditLogBody(verification),
  }
}

async function checkParts(readiness: Readiness): Promise<SystemStatusBody['parts']> {
  const [database, storage, disk, others] = await Promise.all([
    isDone(readiness.checkDatabase()),
    isDone(readiness.checkStorage()),
    readiness.hasFreeDisk(),
    readiness.checkParts(),
  ])
  return {
    database,
    storage,
    disk,
    checking: others['text layout'] === true,
    rendering: others['drawing'] === true,
  }
}

function sumOf(kinds: readonly JobCount[]) {
  const sum = (state: 'waiting' | 'running' | 'failed') => kinds.reduce((total, kind) => total + kind[state], 0)
  const dues = kinds.flatMap(({ dueSince }) => (dueSince === null ? [] : [dueSince.getTime()]))
  return {
    waiting: sum('waiting'),
    running: sum('running'),
    failed: sum('failed'),
    dueSince: dues.length === 0 ? null : timeOf(new Date(Math.min(...dues))),
  }
}

const timeOf = (time: Date | null): string | null => time?.toISOString() ?? null
