import type { ClientRequest } from 'node:http'
import { stopParserWhen } from '../../platform/http/connections/stop-parser.ts'

/** The most responses with status 1xx before the response of a server. */
const MAX_INFORMATIONAL = 8

/** Refuses servers that send informational responses without end, and stops reading. */
export function limitInformational(request: ClientRequest, refuse: (detail: string) => void): void {
  let count = 0
  request.on('information', () => {
    count += 1
    if (count !== MAX_INFORMATIONAL + 1) return
    stopParserWhen(request, () => true)
    refuse('The server sent too many responses with status 1xx.')
    request.destroy()
  })
}
