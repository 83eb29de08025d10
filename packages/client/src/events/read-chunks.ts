/**
 * Yields the chunks of a body. Calls `onIdle`, which should end the connection, when no chunk arrives for some time: a
 * connection can be lost without a notice.
 */
export async function* readChunks(
  body: ReadableStream<Uint8Array> | null,
  idleMs: number,
  onIdle: () => void,
): AsyncIterable<Uint8Array> {
  // Safari cannot iterate over a stream.
  const reader = body?.getReader()
  for (;;) {
    const timer = setTimeout(onIdle, idleMs)
    const read = await reader?.read().finally(() => clearTimeout(timer))
    if (read === undefined || read.done) return
    yield read.value
  }
}
