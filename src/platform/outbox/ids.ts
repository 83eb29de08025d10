import { defineIds } from '../ids.ts'

export const EVENT_IDS = { event: 'evt' } as const

const { newId, isId } = defineIds(EVENT_IDS)

export const newEventId = () => newId('event')
export const isEventId = (value: string) => isId('event', value)
