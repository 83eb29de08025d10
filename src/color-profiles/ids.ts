import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const COLOR_PROFILE_IDS = { colorProfile: 'icc' } as const

export const { isId, newId } = defineIds(COLOR_PROFILE_IDS)
