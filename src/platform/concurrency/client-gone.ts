import type { RequestContext } from './request-context.ts'

/** Ends the work of a request whose client has disconnected while the work waited. No fault of the service. */
export class ClientGone extends Error {
  override readonly name = 'ClientGone'

  /** @param what the part of the request that waited */
  constructor(what: string) {
    super(`the client disconnected while its ${what} waited`)
  }
}

/**
 * Rejects waiting work of a request as soon as its client has disconnected, so that nothing waits in vain. Work of a
 * request that has begun to write, or that holds a connection, goes on: it must not end in the middle.
 *
 * @param what the part of the request that waits
 * @returns a function to call when the work waits no more
 */
export function rejectWhenGone(
  request: RequestContext | undefined,
  what: string,
  reject: (error: ClientGone) => void,
): () => void {
  const leave = (): void => {
    if (request?.connections === 0 && request.hasBegunToWrite !== true) reject(new ClientGone(what))
  }
  if (request?.hasLeft?.() !== true) return request?.onLeave?.(leave) ?? stopNothing
  leave()
  return stopNothing
}

function stopNothing(): void {}
