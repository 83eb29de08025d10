export const DESIGN_STATUSES = ['draft', 'finalizing', 'finalized', 'archived'] as const
export type DesignStatus = (typeof DESIGN_STATUSES)[number]

/** `abandon` means that a check or the renderer failed, or that the finalizing process has died. */
export type DesignEvent = 'change' | 'begin_finalizing' | 'abandon' | 'finish' | 'archive'

/**
 * Transitions of a design: the row is its status, the column an event, the cell the next status. An event without a
 * cell is refused. No other code defines a transition.
 */
export const DESIGN_TRANSITIONS: Readonly<Record<DesignStatus, Partial<Record<DesignEvent, DesignStatus>>>> = {
  draft: { change: 'draft', begin_finalizing: 'finalizing', archive: 'archived' },
  finalizing: { abandon: 'draft', finish: 'finalized' },
  finalized: { archive: 'archived' },
  archived: {},
}

/** Returns the next status, or undefined if the event is refused. */
export function nextStatus(status: DesignStatus, event: DesignEvent): DesignStatus | undefined {
  return DESIGN_TRANSITIONS[status][event]
}

interface Leased {
  status: DesignStatus
  leaseUntil: Date | null
}

/**
 * Returns the effective status of a design. If the lease of a finalizing design has expired, the design is a draft
 * again, even before a job corrects its row.
 */
export function statusAt({ status, leaseUntil }: Leased, now: Date): DesignStatus {
  const isAbandoned = status === 'finalizing' && leaseUntil !== null && leaseUntil <= now
  return isAbandoned ? (nextStatus(status, 'abandon') ?? status) : status
}

/** What the entity tag of a design depends on. */
export interface Versioned extends Leased {
  revision: number
  finalization: { price: { number: number } } | null
  lastFinalizationErrorJson: string | null
  finalizationFailures: number
}

/**
 * Returns the entity tag of a design, including the quotes. The tag changes with the revision, the status, the error of
 * a failed finalization, and the price renewals of a finalized design.
 */
export function etagOf(design: Versioned, now: Date): string {
  const status = statusAt(design, now)
  if (status === 'draft')
    return design.lastFinalizationErrorJson === null ? `"${design.revision}"` : failedTagOf(design)
  if (design.finalization === null) return `"${design.revision}-${status}"`
  return `"${design.revision}-${status}-${design.finalization.price.number}"`
}

function failedTagOf({ revision, finalizationFailures }: Versioned): string {
  return `"${revision}-failed-${finalizationFailures}"`
}

/**
 * Returns the tags with which a design may be changed: the current one, and the tag of the draft before a failed
 * finalization, which left the content unchanged.
 */
export function etagsOfContent(design: Versioned, now: Date): string[] {
  return statusAt(design, now) === 'draft' ? [etagOf(design, now), `"${design.revision}"`] : [etagOf(design, now)]
}

/**
 * Returns all tags that a design has had at its current revision, the current one first. Finalizing changes the status
 * but not the content, so a client may repeat the request with the tag of the draft.
 */
export function etagsOfRevision(design: Versioned, now: Date): string[] {
  const { revision, finalization } = design
  const renewals = Array.from(
    { length: finalization?.price.number ?? 0 },
    (_, index) => `"${revision}-finalized-${index + 1}"`,
  )
  return [etagOf(design, now), `"${revision}"`, `"${revision}-finalizing"`, failedTagOf(design), ...renewals]
}
