import { randomUUID } from 'node:crypto'
import type { Trx } from '../../platform/db/index.ts'
import { Problem } from '../../platform/problem.ts'
import { forgetUnpaid, isDiskFault, settleUnpaid, storageUnavailable } from '../../platform/storage/index.ts'
import { emitDesignEvent } from '../events.ts'
import { designProblems } from '../problems.ts'
import { type FinalizationErrorBody, toDesignBody } from '../schemas.ts'
import { nextStatus } from '../state.ts'
import { type DesignKey, draftBytes, lockDesign } from '../store.ts'
import { findLeased, recordFailure } from './store.ts'

/** A report can have an issue for each layer. The client sees further issues after it has resolved these. */
const MAX_ERRORS = 50

export interface FailedFinalization {
  key: DesignKey
  /** Token of the lease of the finalization. */
  token: string
  cause: unknown
  now: Date
}

/**
 * Makes a design a draft again and records why its finalization failed. Used when the client has already received its
 * response. Does nothing if another process holds the lease.
 */
export async function failFinalization(trx: Trx, { key, token, cause, now }: FailedFinalization): Promise<void> {
  const leased = await findLeased(trx, { id: key.id, token })
  const design = leased && (await lockDesign(trx, leased))
  const status = design && nextStatus(design.status, 'abandon')
  if (design?.leaseToken !== token || status === undefined) return forgetUnpaid(trx, [token])
  const lastFinalizationErrorJson = JSON.stringify(toErrorBody(cause, now))
  await recordFailure(trx, { id: key.id, status, errorJson: lastFinalizationErrorJson })
  const finalizationFailures = design.finalizationFailures + 1
  const failed = {
    ...design,
    status,
    leaseToken: null,
    leaseUntil: null,
    lastFinalizationErrorJson,
    finalizationFailures,
  }
  const { id: subject, ownerId } = design
  await emitDesignEvent(trx, {
    type: 'design.finalization_failed',
    subject,
    ownerId,
    data: toDesignBody(failed, now),
    at: now,
  })
  // Counts the size of the event, which contains the whole document. Otherwise repeated failures could fill the disk
  // with events.
  await settleUnpaid(trx, token, { subject: randomUUID(), bytes: draftBytes(design), now })
}

function toErrorBody(cause: unknown, now: Date): FinalizationErrorBody {
  const { code, detail, extras } = toProblem(cause)
  const errors = extras.errors?.slice(0, MAX_ERRORS)
  return { code, detail, ...(errors === undefined ? {} : { errors }), at: now.toISOString() }
}

function toProblem(cause: unknown): Problem {
  if (cause instanceof Problem) return cause
  const isFaultOfDisk = cause instanceof Error && isDiskFault((cause as { code?: unknown }).code)
  return isFaultOfDisk ? storageUnavailable(cause) : designProblems.finalization_failed()
}
