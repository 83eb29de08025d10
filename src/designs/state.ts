export const DESIGN_STATUSES = ['draft', 'finalizing', 'finalized', 'archived'] as const
export type DesignStatus = (typeof DESIGN_STATUSES)[number]

/** `give_up`: a check or the renderer failed, or the process that was finalizing is gone. */
export type DesignEvent = 'change' | 'begin_finalizing' | 'give_up' | 'finish' | 'archive'

/** Rows are states, cells say where an event leads, a missing cell means the event is refused. Nothing else in the code names a transition. */
export const DESIGN_TRANSITIONS: Readonly<Record<DesignStatus, Partial<Record<DesignEvent, DesignStatus>>>> = {
  draft: { change: 'draft', begin_finalizing: 'finalizing', archive: 'archived' },
  finalizing: { give_up: 'draft', finish: 'finalized' },
  finalized: { archive: 'archived' },
  archived: {},
}

/** Where an event leads from a state; undefined where it is refused. */
export function nextStatus(status: DesignStatus, event: DesignEvent): DesignStatus | undefined {
  return DESIGN_TRANSITIONS[status][event]
}

interface Leased {
  status: DesignStatus
  leaseUntil: Date | null
}

/**
 * The state a design is really in: one whose finalizing process let its lease run out is a draft again,
 * before anything has tidied its row.
 */
export function statusAt({ status, leaseUntil }: Leased, now: Date): DesignStatus {
  const isAbandoned = status === 'finalizing' && leaseUntil !== null && leaseUntil <= now
  return isAbandoned ? (nextStatus(status, 'give_up') ?? status) : status
}

interface Versioned extends Leased {
  revision: number
  finalization: { price: { number: number } } | null
  lastFinalizationErrorJson: string | null
  finalizationFailures: number
}

/**
 * The entity tag of a design, quotes included. It changes with whatever its representation shows:
 * the revision, the state, the error of a failed finalization, and for a finalized design the renewals of its price.
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
 * The tags with which a design may be changed: the current one, and that of the draft before a finalization that failed,
 * which changed nothing its owner made.
 */
export function etagsOfContent(design: Versioned, now: Date): string[] {
  return statusAt(design, now) === 'draft' ? [etagOf(design, now), `"${design.revision}"`] : [etagOf(design, now)]
}

/**
 * Every tag a design has had at its present revision, the current one first. Finalizing changes the state, not the content:
 * who repeats it with the tag of the draft means the same design.
 */
export function etagsOfRevision(design: Versioned, now: Date): string[] {
  const { revision, finalization } = design
  const renewals = Array.from(
    { length: finalization?.price.number ?? 0 },
    (_, index) => `"${revision}-finalized-${index + 1}"`,
  )
  return [etagOf(design, now), `"${revision}"`, `"${revision}-finalizing"`, failedTagOf(design), ...renewals]
}
