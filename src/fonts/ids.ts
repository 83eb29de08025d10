import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const FONT_IDS = { font: 'fnt' } as const

export const { isId, newId } = defineIds(FONT_IDS)
