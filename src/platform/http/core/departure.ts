import type { Socket } from 'node:net'
import type { RequestContext } from '../../concurrency/request-context.ts'

/**
 * Creates the function of a request that tells when its client disconnects. It adds at most one listener to the socket,
 * because a request may wait for many statements, and Node.js takes more than ten listeners for a leak.
 */
export function departureOf(socket: Socket): NonNullable<RequestContext['onLeave']> {
  const listeners = new Set<() => void>()
  const leave = (): void => {
    for (const listener of listeners) listener()
  }
  return (listener) => {
    if (listeners.size === 0) socket.once('close', leave)
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0) socket.off('close', leave)
    }
  }
}
