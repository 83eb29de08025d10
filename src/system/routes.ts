import { type Auth, requireRole } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import { idempotently } from '../platform/http/idempotency/idempotency.ts'
import { EmptyBody } from '../platform/http/input/empty-body.ts'
import { invalidCursor, pageOf } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { listStoredJobs } from '../platform/stored-jobs.ts'
import { systemProblems } from './problems.ts'
import { readStatus, type StatusDeps } from './read-status.ts'
import { readJobId, retryJob } from './retry-job.ts'
import { JobBody, JobListQuery, JobParams, SystemStatusBody, toJobBody } from './schemas.ts'

export interface SystemDeps extends StatusDeps, Pick<Auth, 'recordAdminAct'> {
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
        description: 'For administrators: which parts work, and how many jobs, webhook deliveries and mails wait.',
        response: { 200: SystemStatusBody },
      },
    },
    async () => readStatus(deps),
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
}

/** @throws `invalid_cursor` */
function beforeOf(cursor: string | undefined): number | undefined {
  if (cursor === undefined) return undefined
  const id = readJobId(cursor)
  if (id === undefined) throw invalidCursor()
  return id
}
