import { defineIds } from '../ids.ts'

export const { prefixes, newId, isId } = defineIds({ event: 'evt' })

export const newEventId = () => newId('event')
export const isEventId = (value: string) => isId('event', value)
