import type { Event, EventType } from '../generated/types.ts'
import type { RequestOptions } from '../options.ts'

/** The event of a type. */
export type EventOf<Type extends EventType> = Event extends infer One
  ? One extends Event
    ? Type extends One['type']
      ? One & { type: Type }
      : never
    : never
  : never

export interface StreamQuery<Type extends EventType = EventType> {
  /** Id of the event to continue after. Without it, the stream starts with the next event. */
  after?: string | undefined
  /** Only events of this type. */
  type?: Type | undefined
  /**
   * A ticket in place of the credential of the client. A ticket opens one connection, so pass a function that fetches
   * one for each. The stream ends if the function fails for five minutes.
   */
  ticket?: (() => Promise<string> | string) | undefined
}

export interface StreamOptions extends Pick<RequestOptions, 'signal' | 'headers'> {
  /** Called when a connection has opened. */
  onOpen?: (() => void) | undefined
  /** Called with each failure after which the stream tries again, for example to log it. */
  onError?: ((error: unknown) => void) | undefined
}

/** Iterates over events until the loop ends or the signal is aborted. */
export interface EventStream<One = Event> extends AsyncIterableIterator<One> {
  /** Id of the last event that the loop has received. Store it, and pass it as `after` to continue later. */
  readonly lastEventId: string | undefined
}

export type StreamEvents = <Type extends EventType = EventType>(
  query?: StreamQuery<Type>,
  options?: StreamOptions,
) => EventStream<EventOf<Type>>
