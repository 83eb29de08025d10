import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const PRODUCT_IDS = { product: 'prd', variant: 'var' } as const

export const { isId, newId } = defineIds(PRODUCT_IDS)
