/** The connection of a body broke. What reading throws then differs between platforms. */
export class BrokenConnection extends Error {
  override name = 'BrokenConnection'
}

/**
 * Yields the chunks of a body. Calls `onIdle`, which should end the connection, when no chunk arrives for some time: a
 * connection can be lost without a notice.
 *
 * @throws {BrokenConnection}
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
    const read = await reader
      ?.read()
      .catch((cause: unknown) => {
        throw new BrokenConnection('the connection of the event stream broke', { cause })
      })
      .finally(() => clearTimeout(timer))
    if (read === undefined || read.done) return
    yield read.value
  }
}
