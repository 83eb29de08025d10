import type { EventType, ListEventsQuery } from '@platen/client'
import type { EventNews } from '../../live/new-events.ts'
import { timesOfDays } from '../../parts/table/days.ts'
import type { TableState } from '../../parts/table/use-table-state.ts'
import { EVENT_TYPES } from '../webhooks/event-types.ts'

/** The filters, by their names in the URL. */
export type EventFilter = 'type' | 'subject' | 'from' | 'to'

const PAGE_SIZE = 50

/** Ids are no longer than this. The service refuses longer ones. */
const MAX_SUBJECT = 64

/** Leaves out what the service would refuse, because a URL may have been typed. */
export function queryOf(state: TableState<EventFilter>): ListEventsQuery {
  const type = EVENT_TYPES.find((known) => known === state.get('type'))
  const [subject, cursor] = [state.get('subject').trim(), state.get('cursor')]
  return {
    limit: PAGE_SIZE,
    order: 'desc',
    ...(type === undefined ? {} : { type: type satisfies EventType }),
    ...(subject === '' ? {} : { subject: subject.slice(0, MAX_SUBJECT) }),
    ...timesOfDays(state.get('from'), state.get('to')),
    ...(cursor === '' ? {} : { cursor }),
  }
}

/** Tells whether a new event would be in the table. */
export function isWanted({ type, subject, from, to }: ListEventsQuery, event: EventNews): boolean {
  const at = Date.parse(event.createdAt)
  return (
    (type === undefined || type === event.type) &&
    (subject === undefined || subject === event.subject) &&
    (from === undefined || at >= Date.parse(from)) &&
    (to === undefined || at < Date.parse(to))
  )
}

/** Tells whether the table leaves events out. */
export function isFiltered({ type, subject, from, to }: ListEventsQuery): boolean {
  return [type, subject, from, to].some((value) => value !== undefined)
}
