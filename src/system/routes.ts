import { type Auth, requestVerification, requireRole } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import { idempotently } from '../platform/http/idempotency/idempotency.ts'
import { EmptyBody } from '../platform/http/input/empty-body.ts'
import { invalidCursor, pageOf } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { listStoredJobs } from '../platform/jobs/stored-jobs.ts'
import { ConfigurationBody } from './configuration-schema.ts'
import { systemProblems } from './problems.ts'
import { type ConfigurationDeps, readConfiguration } from './read-configuration.ts'
import { readStatus, type StatusDeps } from './read-status.ts'
import { readJobId, retryJob } from './retry-job.ts'
import {
  AuditLogBody,
  JobBody,
  JobListQuery,
  JobParams,
  SystemStatusBody,
  toAuditLogBody,
  toJobBody,
} from './schemas.ts'

export interface SystemDeps extends StatusDeps, ConfigurationDeps, Pick<Auth, 'recordAdminAct'> {
  clock: Clock
}

const tags = ['System']

/** Registers the routes about the state of the service, for administrators. */
export function systemRoutes(app: App, deps: SystemDeps): void {
  app.get(
    '/system/status',
    {
      onRequest: requireRole('admin', 'system:read'),
      schema: {
        operationId: 'getSystemStatus',
        tags,
        summary: 'Get the state of the service',
        description:
          'For administrators: which parts work, how many jobs, webhook deliveries and mails wait, and the result of the last verification of the security events.',
        response: { 200: SystemStatusBody },
      },
    },
    async () => readStatus(deps),
  )

  app.get(
    '/system/configuration',
    {
      onRequest: requireRole('admin', 'system:read'),
      schema: {
        operationId: 'getSystemConfiguration',
        tags,
        summary: 'Read what the environment sets',
        description: 'For administrators: payments, URLs and origins, without secrets, and what is probably wrong.',
        response: { 200: ConfigurationBody },
      },
    },
    async () => readConfiguration(deps),
  )

  app.get(
    '/system/jobs',
    {
      onRequest: requireRole('admin', 'system:read'),
      schema: {
        operationId: 'listJobs',
        tags,
        summary: 'List background jobs',
        description:
          'For administrators. Newest first. Jobs that are done are not stored. The content of a job is not shown, because it may contain personal data.',
        querystring: JobListQuery,
        response: { 200: pageOf(JobBody) },
      },
    },
    async ({ query }) => {
      const { state, kind, limit } = query
      const jobs = await listStoredJobs(deps.db, { state, kind, limit, before: beforeOf(query.cursor) })
      const data = jobs.slice(0, limit).map(toJobBody)
      return { data, nextCursor: jobs.length > limit ? (data.at(-1)?.id ?? null) : null }
    },
  )

  app.post(
    '/system/jobs/:jobId/retry',
    {
      onRequest: requireRole('admin', 'system:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'retryJob',
        problems: [systemProblems.job_not_found, systemProblems.job_not_failed],
        tags,
        summary: 'Retry a background job',
        description:
          'The job runs as soon as a runner is free. A job whose attempts are used up gets one more. A job that is running or due stays unchanged. The security events record it as `job_retried`.',
        params: JobParams,
        body: EmptyBody,
        response: { 200: JobBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const { job, isChanged } = await retryJob(trx, request.params.jobId)
        const { id, kind } = job
        if (isChanged) await deps.recordAdminAct(trx, request, { jobId: String(id), kind }, 'job_retried')
        return { status: 200, body: toJobBody(job) }
      }),
  )

  app.post(
    '/system/audit-log/verify',
    {
      onRequest: requireRole('admin', 'system:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'verifyAuditLog',
        tags,
        summary: 'Verify the security events',
        description:
          'A job recomputes the seals of all security events, as it does every day. `GET /system/status` shows the result. While a verification is pending, further requests change nothing.',
        body: EmptyBody,
        response: { 202: AuditLogBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => ({
        status: 202,
        body: toAuditLogBody(await requestVerification(trx, deps.clock.now())),
      })),
  )
}

/** @throws `invalid_cursor` */
function beforeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const id = readJobId(cursor)
  if (id === undefined) throw invalidCursor()
  return id
}
