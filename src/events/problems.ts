import { defineProblems } from '../platform/problem.ts'

export const eventProblems = defineProblems({
  // Also for another person's event, so that ids cannot be probed.
  event_not_found: {
    status: 400,
    title: 'There is no event to continue after',
    help: '`after`, or `Last-Event-ID`, is the id of the last event you have read. Leave it out to read from the oldest event.',
  },
  event_expired: {
    status: 400,
    title: 'The event to continue after is no longer kept',
    help: 'Events are kept for 30 days. `oldestEventId` is the first that you can still read, null for none. Read the records themselves for what happened before, then all events that are kept, by leaving `after` out.',
  },
  too_many_event_streams: {
    status: 429,
    title: 'Too many open streams of events',
    help: 'An account may have a limited number of streams open. Close one, or read `GET /events`.',
  },
  event_streams_full: {
    status: 503,
    title: 'No more streams of events can be opened at the moment',
    help: 'Try again after the number of seconds in `Retry-After`, or read `GET /events`.',
  },
})
