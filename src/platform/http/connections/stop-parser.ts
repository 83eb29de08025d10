import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** What Node.js calls for each message that it has parsed, on either side of a connection. */
type Parser = { onIncoming?: (message: IncomingMessage, keepAlive: boolean) => number }

/** With this result, the parser stops. */
const STOP = 2

/**
 * Makes the HTTP parser of a connection stop as soon as a condition holds. Node.js parses all messages of a piece of
 * 64 KiB, which may be thousands, before another connection has its turn, also if the connection is closed meanwhile.
 *
 * @param holder a socket of a server, or a request of a client
 */
export function stopParserWhen(holder: object, isOver: () => boolean): void {
  const { parser } = holder as { parser?: Parser | null }
  const onIncoming = parser?.onIncoming
  if (parser === undefined || parser === null || onIncoming === undefined) return
  parser.onIncoming = (message, keepAlive) => (isOver() ? STOP : onIncoming(message, keepAlive))
}

/**
 * Makes the HTTP parser of a connection pass over the rest of a body. Node.js would copy each part of it, however short,
 * up to the end of the piece of 64 KiB that it has read, also if the connection is closed meanwhile.
 */
export function passOverBody(socket: Socket): void {
  const { parser } = socket as { parser?: Record<string, unknown> | null }
  if (parser === undefined || parser === null) return
  const key = Object.keys(parser).find((one) => (parser[one] as { name?: string } | null)?.name === 'parserOnBody')
  if (key === undefined) return
  const onBody = parser[key]
  parser[key] = undefined
  // Node.js uses the parser again for another connection.
  socket.once('close', () => {
    parser[key] = onBody
  })
}
