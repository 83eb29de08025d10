import { Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { App } from '../core/app-type.ts'

/** How long connections on which nothing happens may delay the end. */
export const DRAIN_MS = 1_000
const LOOK_EVERY_MS = 10

/**
 * Ends connections at a moment of their own. Closing them at once, as Node does with idle ones, would cut off a client
 * that has just sent its next request: here each gets one more answer, with `Connection: close`, and ends with it.
 *
 * @param isLeaving whether the process is about to stop: responses then tell clients to connect anew, while a load
 *   balancer that knows of it sends them elsewhere
 */
export function drainBeforeClose(app: App, graceMs: number, isLeaving: () => boolean = () => false): void {
  let isEnding = false
  // Also a request that was in flight before: its connection would stay open for as long as the client likes.
  app.addHook('onSend', async (_request, reply) => {
    if (isEnding || isLeaving()) reply.header('Connection', 'close')
  })
  app.addHook('preClose', async () => {
    isEnding = true
    if (!app.server.listening) return
    // Only stops listening. The HTTP server's own method would also end idle connections.
    Server.prototype.close.call(app.server)
    const deadline = Date.now() + graceMs
    while (Date.now() < deadline && (await openConnections(app)) > 0) await delay(LOOK_EVERY_MS)
  })
}

/** Closes an app. Connections whose requests or responses make no end within this time are cut off. */
export async function closeWithin(app: App, ms: number): Promise<void> {
  const timer = setTimeout(() => app.server.closeAllConnections(), ms)
  try {
    await app.close()
  } finally {
    clearTimeout(timer)
  }
}

function openConnections(app: App): Promise<number> {
  return new Promise((resolve) => app.server.getConnections((error, count) => resolve(error === null ? count : 0)))
}
