import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const DESIGN_IDS = { design: 'dsn', finalization: 'fin' } as const

export const { isId, newId } = defineIds(DESIGN_IDS)
