import { Type } from 'typebox'
import { defineProblems } from '../platform/problem.ts'

export const eventProblems = defineProblems({
  // Also returned for events of other accounts, so that a caller cannot find out which ids exist.
  event_not_found: {
    status: 400,
    title: 'Event not found',
    help: '`after` or `Last-Event-ID` must be the id of the last event that you have read. Omit it to read from the oldest event.',
  },
  // Also returned for events of other accounts.
  no_such_event: { status: 404, title: 'No such event', help: 'Events are retained for 30 days.' },
  event_expired: {
    status: 400,
    title: 'Event no longer retained',
    members: {
      oldestEventId: Type.Union([Type.String(), Type.Null()], { description: 'Id of the oldest event that is left.' }),
    },
    help: 'Events are retained for 30 days. `oldestEventId` is the oldest event that you can still read, or null if there is none. Read the current records to catch up, then read all retained events by omitting `after`.',
  },
  invalid_ticket: {
    status: 401,
    title: 'Invalid or used ticket',
    help: 'A ticket opens one stream within 60 seconds, while the session or API key that made it is valid. Get a new one with `POST /events/tickets`.',
  },
  too_many_event_streams: {
    status: 429,
    title: 'Too many open event streams',
    help: 'The account, or all customers of its network without a paid order together, have reached the maximum number of open streams. Close a stream, or read `GET /events`.',
  },
  event_streams_full: {
    status: 503,
    title: 'Event streams temporarily unavailable',
    help: 'This process has reached its maximum number of open streams. Try again after the number of seconds in `Retry-After`, or read `GET /events`.',
  },
})
