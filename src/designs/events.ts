import { type Emit, emit } from '../platform/outbox/index.ts'

/** The events of designs. */
export const DESIGN_EVENTS = ['design.finalized', 'design.archived', 'design.finalization_failed'] as const

export const emitDesignEvent: Emit<(typeof DESIGN_EVENTS)[number]> = emit
