import { defineIds } from '../platform/ids.ts'

export const { prefixes, firstIdAt, isId, newId } = defineIds({ webhookEndpoint: 'whk', delivery: 'dlv' })
