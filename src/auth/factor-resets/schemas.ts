import { type Static, Type } from 'typebox'
import { PageQuery } from '../../platform/http/responses/pagination.ts'
import { Closed, Timestamp } from '../schemas.ts'
import { FACTOR_RESET_STATUSES, type FactorReset, type FactorResetStatus } from './store.ts'

const Status = Type.Unsafe<FactorResetStatus>({ type: 'string', enum: FACTOR_RESET_STATUSES })
const OrNull = <Schema extends ReturnType<typeof Type.String>>(schema: Schema, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const FactorResetParams = Type.Object({ resetId: Type.String() }, Closed)

export const FactorResetListQuery = Type.Object(
  {
    ...PageQuery.properties,
    status: Type.Optional(Status),
    userId: Type.Optional(Type.String({ maxLength: 64 })),
  },
  Closed,
)

export const FactorResetBody = Type.Object(
  {
    id: Type.String(),
    userId: Type.String(),
    status: Status,
    startedBy: Type.String({ description: 'Id of the administrator who requested it.' }),
    confirmedBy: OrNull(
      Type.String(),
      'Id of the second administrator; `null` while it waits, and if the waiting time completed it.',
    ),
    startedAt: Timestamp,
    dueAt: Type.String({ format: 'date-time', description: 'When it is completed without a confirmation.' }),
    endedAt: OrNull(Timestamp, 'When it was completed or stopped.'),
  },
  { ...Closed, title: 'FactorReset' },
)
export type FactorResetBody = Static<typeof FactorResetBody>

export function toFactorResetBody(reset: FactorReset): FactorResetBody {
  const { id, userId, startedBy, confirmedBy, startedAt, dueAt, completedAt, stoppedAt } = reset
  return {
    id,
    userId,
    status: completedAt !== null ? 'completed' : stoppedAt !== null ? 'stopped' : 'waiting',
    startedBy,
    confirmedBy,
    startedAt: startedAt.toISOString(),
    dueAt: dueAt.toISOString(),
    endedAt: (completedAt ?? stoppedAt)?.toISOString() ?? null,
  }
}
