import { type Static, Type } from 'typebox'
import type { AuditVerification } from '../auth/index.ts'
import { PageQuery } from '../platform/http/responses/pagination.ts'
import type { StoredJob } from '../platform/jobs/stored-jobs.ts'
import { safeError } from './safe-error.ts'

const closed = { additionalProperties: false } as const
const Time = Type.String({ format: 'date-time' })
const TimeOrNull = (description: string) => Type.Union([Time, Type.Null()], { description })

export const AuditLogBody = Type.Object(
  {
    pending: Type.Boolean({ description: 'Whether a requested verification has not ended.' }),
    verifiedAt: TimeOrNull('When the last verification ended. Null before the first one.'),
    entries: Type.Integer({ description: 'Security events that the last verification read, up to the first fault.' }),
    fault: Type.Union(
      [
        Type.Object(
          {
            kind: Type.String({
              description:
                'What was found: `missing`, `changed`, `personal_changed` (IP address or user agent), `start_moved`, `cut_off` (the newest events are missing) or `other_head` (the log was replaced). Later versions may add kinds.',
            }),
            sequence: Type.Integer({ description: 'Place of the first affected event in the log.' }),
            eventId: Type.Union([Type.String(), Type.Null()], {
              description: 'Id of the first affected event. Null if it is missing.',
            }),
          },
          closed,
        ),
        Type.Null(),
      ],
      { description: 'The first fault. Null if no security event was changed or removed.' },
    ),
  },
  { ...closed, title: 'AuditLogVerification', description: 'The last verification of the security events.' },
)

export function toAuditLogBody({ requestedAt, verifiedAt, ...rest }: AuditVerification): Static<typeof AuditLogBody> {
  return { pending: requestedAt !== null, verifiedAt: verifiedAt?.toISOString() ?? null, ...rest }
}

export const SystemStatusBody = Type.Object(
  {
    version: Type.String(),
    startedAt: Type.String({ format: 'date-time', description: 'When the process that responds started.' }),
    parts: Type.Object(
      {
        database: Type.Boolean(),
        storage: Type.Boolean({ description: 'Whether the storage of files accepts bytes.' }),
        disk: Type.Boolean({ description: 'Whether enough disk space is free.' }),
        checking: Type.Boolean({ description: 'Whether the processes that lay out texts and check designs work.' }),
        rendering: Type.Boolean({ description: 'Whether the processes that draw work.' }),
      },
      { ...closed, description: 'Whether each part works, as for `/health/ready` of the process that responds.' },
    ),
    jobs: Type.Object(
      {
        runners: Type.Integer({ description: 'Job runners of all processes. Without any, jobs wait.' }),
        waiting: Type.Integer({ description: 'Jobs that will run by themselves, now or later.' }),
        running: Type.Integer(),
        failed: Type.Integer({ description: 'Jobs whose attempts are used up.' }),
        dueSince: TimeOrNull('Since when the oldest due job waits.'),
        kinds: Type.Array(
          Type.Object(
            {
              kind: Type.String(),
              waiting: Type.Integer(),
              running: Type.Integer(),
              failed: Type.Integer(),
              dueSince: TimeOrNull('Since when the oldest due job of this kind waits.'),
            },
            closed,
          ),
        ),
      },
      closed,
    ),
    webhooks: Type.Object(
      {
        pending: Type.Integer({
          description: 'Deliveries to enabled endpoints that wait, at most 10,000: then there may be more.',
        }),
        pendingSince: TimeOrNull('When the oldest of these deliveries was created.'),
      },
      closed,
    ),
    messages: Type.Object(
      {
        mailServer: Type.Boolean({
          description: 'Whether a mail server is set. Without one, mails stay in the outbox.',
        }),
        waiting: Type.Integer({ description: 'Mails and text messages that are not sent.' }),
        waitingSince: TimeOrNull('When the oldest of these messages was created.'),
      },
      closed,
    ),
    auditLog: AuditLogBody,
  },
  { ...closed, title: 'SystemStatus' },
)
export type SystemStatusBody = Static<typeof SystemStatusBody>

const State = Type.Union([Type.Literal('waiting'), Type.Literal('running'), Type.Literal('failed')], {
  description: '`waiting`: will run by itself. `failed`: all attempts are used up.',
})

export const JobListQuery = Type.Object(
  {
    ...PageQuery.properties,
    state: Type.Optional(State),
    kind: Type.Optional(Type.String({ maxLength: 128, description: 'Only jobs of this kind.' })),
  },
  closed,
)

export const JobParams = Type.Object({ jobId: Type.String({ maxLength: 64 }) }, closed)

export const JobBody = Type.Object(
  {
    id: Type.String(),
    kind: Type.String({ description: 'What the job does, such as `messages.deliver`.' }),
    state: State,
    attempts: Type.Integer(),
    maxAttempts: Type.Integer(),
    error: Type.Union([Type.String(), Type.Null()], {
      description:
        'Error of the latest attempt, without email addresses, URLs, host names, numbers, quoted values and tokens.',
    }),
    runAt: Type.String({ format: 'date-time', description: 'When the next attempt is due.' }),
    createdAt: Time,
  },
  { ...closed, title: 'Job' },
)

export function toJobBody(job: StoredJob): Static<typeof JobBody> {
  const { id, kind, state, attempts, maxAttempts, lastError, runAt, createdAt } = job
  return {
    id: String(id),
    kind,
    state,
    attempts,
    maxAttempts,
    error: lastError === null ? null : safeError(lastError),
    runAt: runAt.toISOString(),
    createdAt: createdAt.toISOString(),
  }
}
