import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const WEBHOOK_IDS = { webhookEndpoint: 'whk', delivery: 'dlv' } as const

export const { firstIdAt, isId, newId } = defineIds(WEBHOOK_IDS)
