export { type Emit, type EmittedEvent, emit, insertEvent } from './emit.ts'
export { createEventFeed, type EventFeed } from './feed.ts'
export { type HeldBack, type HeldBackWatch, readHeldBack, watchHeldBack } from './held-back.ts'
export { isEventId, newEventId } from './ids.ts'
export { keepOrderOfEvents } from './order.ts'
export { EVENTS_KEPT_SECONDS, pruneEvents } from './prune.ts'
export {
  comparePositions,
  type Event,
  type EventPosition,
  type EventReading,
  type EventsRead,
  eventJson,
  findEvent,
  findEventPosition,
  findLastEventId,
  findReadableEnd,
  readEvents,
  readEventsBackward,
} from './read.ts'
export { eraseEvents, moveSomeEvents, rewriteEvents } from './rewrite.ts'
