import { platen } from '@platen/app/session'
import { type Event, PlatenError } from '@platen/client'

/** Names the lock and the channel that the tabs of the console share. */
const NAME = 'platen console events'

/** After a failure that the stream does not survive by itself. */
const PAUSE_MS = 5_000

export interface EventListener {
  onEvent(event: Event): void
  /** Called when events may have been missed. */
  onGap(): void
}

/**
 * Follows the events of the service until the signal is aborted. One tab has the stream and tells the others, because
 * browsers have six connections to a host, and an account ten streams.
 */
export function followEvents(listener: EventListener, signal: AbortSignal): void {
  const channel = new BroadcastChannel(NAME)
  channel.addEventListener('message', ({ data }: MessageEvent<Event | null>) => {
    if (data === null) listener.onGap()
    else listener.onEvent(data)
  })
  signal.addEventListener('abort', () => channel.close())
  const lead = async (): Promise<void> => {
    while (!signal.aborted) {
      // Another tab may have had the stream until now, and its last event is not known here.
      listener.onGap()
      channel.postMessage(null)
      try {
        const stream = platen.events.stream({ ticket: fetchTicket }, { signal })
        for await (const event of stream) {
          listener.onEvent(event)
          channel.postMessage(event)
        }
      } catch (error) {
        if (signal.aborted || isRefused(error)) return
      }
      await pause(signal)
    }
  }
  navigator.locks.request(NAME, { signal }, lead).catch(() => {
    // The page is about to be left, or the account has changed.
  })
}

const fetchTicket = async (): Promise<string> => (await platen.events.createStreamTicket()).ticket

/** The session has ended, or its role may not read events. A new sign-in begins anew. */
const isRefused = (error: unknown): boolean =>
  error instanceof PlatenError && (error.status === 401 || error.status === 403)

function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, PAUSE_MS)
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
