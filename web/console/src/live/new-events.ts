import type { Event } from '@platen/client'
import { createNews } from './news.ts'

/** An event without its data, which can have a megabyte. */
export type EventNews = Pick<Event, 'id' | 'type' | 'subject' | 'createdAt'>

/** The events that have happened since a table was read. */
export const newEvents = createNews<EventNews>()
