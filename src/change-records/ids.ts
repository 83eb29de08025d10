import { defineIds } from '../platform/ids.ts'

export const { prefixes, isId, newId } = defineIds({ changeRecord: 'chg' })
