import { defineIds } from '../platform/ids.ts'

export const { prefixes, isId, newId } = defineIds({ product: 'prd', variant: 'var' })
