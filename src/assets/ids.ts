import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const ASSET_IDS = { asset: 'ast' } as const

export const { isId, newId } = defineIds(ASSET_IDS)
