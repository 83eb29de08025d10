import { isMissing } from '@platen/app/frame'
import type { Design } from '@platen/client'
import type { Refusal } from './refusals.ts'

/** Whether a design can be ordered now. The service decides; this tells the customer before. */
export type Condition = 'loading' | 'ready' | 'unfinished' | 'expired' | 'deleted' | 'lost' | 'failed'

const BY_CODE: Readonly<Record<string, Condition>> = {
  price_expired: 'expired',
  design_archived: 'deleted',
  design_not_found: 'lost',
  design_not_finalized: 'unfinished',
}

export interface Known {
  design: Design | undefined
  error: unknown
  refusal: Refusal | undefined
}

export function conditionOf({ design, error, refusal }: Known): Condition {
  const refused = refusal === undefined ? undefined : BY_CODE[refusal.code]
  if (refused !== undefined) return refused
  if (design === undefined) {
    if (isMissing(error)) return 'lost'
    return error === null ? 'loading' : 'failed'
  }
  if (design.status === 'archived') return 'deleted'
  if (design.finalization === null) return 'unfinished'
  return new Date(design.finalization.price.validUntil).getTime() < Date.now() ? 'expired' : 'ready'
}

/** Whether the customer has to do something before the design can be ordered. */
export const isStuck = (condition: Condition): boolean =>
  condition === 'unfinished' || condition === 'expired' || condition === 'deleted' || condition === 'lost'
