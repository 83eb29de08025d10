import type { ClientRequest } from 'node:http'

/** The most responses with status 1xx before the response of a server. */
const MAX_INFORMATIONAL = 8

/** What Node.js calls for each response that it has parsed. The result 2 makes the parser stop. */
type Parsing = ClientRequest & { parser?: { onIncoming?: () => number } | null }
const STOP = 2

/**
 * Refuses servers that send informational responses without end, and stops reading: Node.js parses all of a piece of
 * 64 KiB, thousands of them, before other connections have their turn.
 */
export function limitInformational(request: ClientRequest, refuse: (detail: string) => void): void {
  let count = 0
  request.on('information', () => {
    count += 1
    if (count !== MAX_INFORMATIONAL + 1) return
    const { parser } = request as Parsing
    if (parser !== undefined && parser !== null) parser.onIncoming = () => STOP
    refuse('The server sent too many responses with status 1xx.')
    request.destroy()
  })
}
