import type { FastifyReply } from 'fastify'

/**
 * Returns a signal that aborts if the client disconnects before it has its response. `request.signal` of Fastify is not
 * enough, because it observes the request body and misses a client that is already gone.
 */
export function signalOfHangUp({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController()
  // The client may have disconnected while the request was prepared.
  if (raw.destroyed) controller.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}
