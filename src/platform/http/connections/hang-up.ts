import type { FastifyReply } from 'fastify'

/**
 * Aborts when the client is gone before it has its answer. Not Fastify's `request.signal`: that follows the request's body,
 * and misses a client that is gone when it is first read.
 */
export function signalOfHangUp({ raw }: Pick<FastifyReply, 'raw'>): AbortSignal {
  const controller = new AbortController()
  // It may have gone while the request was prepared.
  if (raw.destroyed) controller.abort()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller.signal
}
