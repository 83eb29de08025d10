import type { Socket } from 'node:net'
import type { RequestContext } from '../../concurrency/request-context.ts'

/** What waits for requests of a connection, and is given up when its client disconnects. */
const waiting = new WeakMap<Socket, Set<() => void>>()

/**
 * Creates the function of a request that tells when its client disconnects. All requests of a connection together add one
 * listener to the socket: a request may wait for many statements, and Node.js takes more than ten listeners for a leak.
 */
export function departureOf(socket: Socket): NonNullable<RequestContext['onLeave']> {
  return (listener) => {
    const listeners = waiting.get(socket) ?? listenOnce(socket)
    listeners.add(listener)
    return () => listeners.delete(listener)
  }
}

function listenOnce(socket: Socket): Set<() => void> {
  const listeners = new Set<() => void>()
  waiting.set(socket, listeners)
  socket.once('close', () => {
    for (const listener of listeners) listener()
  })
  return listeners
}
