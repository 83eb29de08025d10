import { createPlaten, type Platen, type PlatenError } from '@platen/client'

type Listener = (reason: PlatenError) => void

const listeners = new Set<Listener>()

/** The client of the service that served the page. The refresh token is in a cookie that scripts cannot read. */
export const platen: Platen = createPlaten({
  url: location.origin,
  auth: { session: 'cookie' },
  onSignedOut: (reason) => {
    for (const listener of listeners) listener(reason)
  },
})

/** Calls the listener when the service has ended the session. */
export function onSignedOut(listener: Listener): void {
  listeners.add(listener)
}
