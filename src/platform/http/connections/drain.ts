import { Server } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { App } from '../core/app-type.ts'

/** How long connections may delay the end of the server after it stopped listening. */
export const DRAIN_MS = 1_000
const LOOK_EVERY_MS = 10

/**
 * Ends connections gracefully. If idle connections were closed immediately, as Node.js does, a client that has just
 * sent its next request would lose it. Here, each connection gets one more response, with `Connection: close`.
 *
 * @param isLeaving whether the process is about to stop. Responses then ask clients to reconnect, and a load balancer
 *   that knows about the stop sends them to another process
 */
export function drainBeforeClose(app: App, graceMs: number, isLeaving: () => boolean = () => false): void {
  let isEnding = false
  // Also applies to requests that are in flight already. Otherwise a client could keep such a connection open for any
  // time.
  app.addHook('onSend', (_request, reply, _payload, done) => {
    if (isEnding || isLeaving()) reply.header('Connection', 'close')
    done()
  })
  app.addHook('preClose', async () => {
    isEnding = true
    if (!app.server.listening) return
    // Only stops listening. The method of the HTTP server would also close idle connections.
    Server.prototype.close.call(app.server)
    const deadline = Date.now() + graceMs
    while (Date.now() < deadline && (await openConnections(app)) > 0) await delay(LOOK_EVERY_MS)
  })
}

/** Closes an app. Connections with requests or responses that do not end within this time are cut. */
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
