import { type Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import type { Socket } from 'node:net'
import { type Failure, failureOf, type Phase, timeoutFailure } from './failures.ts'
import type { SharedRequest } from './gated-agent.ts'
import { limitInformational } from './informational.ts'
import { readAnswer, type TestResponse } from './response-body.ts'

export type Result = TestResponse | Failure

export interface Exchange extends SharedRequest {
  url: URL
  agent: Agent
  headers: Readonly<Record<string, string>>
  body: Uint8Array
  timeoutMs: number
  /** When it aborts, the exchange ends at once with the error `closed`. */
  signal: AbortSignal
}

const MAX_HEADER_BYTES = 16 * 1024

/**
 * Sends a request and reads the response within one time limit. Afterwards the connection is idle or closed.
 *
 * A receiver may close an idle connection just when it is used again. In this case the request is repeated on a new
 * connection, but only if no byte of a response has arrived.
 */
export function exchange(options: Exchange): Promise<Result> {
  const { timeoutMs, signal } = options
  return new Promise((resolve) => {
    let current = begin(options, onEnd)
    const timer = setTimeout(() => finish(timeoutFailure(current.phase(), timeoutMs)), timeoutMs)
    const stop = () => finish({ kind: 'failed', error: 'closed', detail: 'The service is stopping.' })
    signal.addEventListener('abort', stop, { once: true })

    function onEnd(result: Result, isStale: boolean): void {
      if (isStale) current = begin(options, onEnd)
      else finish(result)
    }
    function finish(result: Result): void {
      clearTimeout(timer)
      signal.removeEventListener('abort', stop)
      current.end()
      resolve(result)
    }
  })
}

interface Running {
  phase(): Phase
  /** Ends the request. If the response was not read completely, the connection is closed. */
  end(): void
}

/**
 * Sends the request once.
 *
 * @param onEnd called once, with the result and with whether the receiver had closed the idle connection that was used
 */
function begin(
  { url, agent, headers, body, share }: Exchange,
  onEnd: (result: Result, isStale: boolean) => void,
): Running {
  let phase: Phase = 'connecting'
  let isOver = false
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const options: RequestOptions & SharedRequest = {
    method: 'POST',
    agent,
    share,
    headers: { ...headers, 'content-length': body.length },
    maxHeaderSize: MAX_HEADER_BYTES,
    insecureHTTPParser: false,
  }
  const request = send(url, options)
  const over = (result: Result, isStale = false): void => {
    if (isOver) return
    isOver = true
    onEnd(result, isStale)
  }
  const fail = (error: NodeJS.ErrnoException): void => {
    const isStale = request.reusedSocket && phase === 'waiting' && ['ECONNRESET', 'EPIPE'].includes(error.code ?? '')
    over(failureOf(error, phase), isStale)
  }
  request.on('error', fail)
  request.on('socket', (socket) => followConnection(request, socket, url.protocol, (reached) => (phase = reached)))
  refuseOddAnswers(request, over)
  request.on('response', (response: IncomingMessage) => {
    phase = 'reading'
    response.on('error', fail)
    readAnswer(response).then(over, fail)
  })
  request.end(body)
  return {
    phase: () => phase,
    end: () => {
      isOver = true
      request.destroy()
    },
  }
}

function followConnection(
  request: ClientRequest,
  socket: Socket,
  protocol: string,
  reach: (phase: Phase) => void,
): void {
  const isEncrypted = protocol === 'https:'
  if (request.reusedSocket) {
    reach('waiting')
    return
  }
  socket.once('connect', () => reach(isEncrypted ? 'securing' : 'waiting'))
  if (isEncrypted) socket.once('secureConnect', () => reach('waiting'))
}

/** Ends the request if the receiver sends too many informational responses or changes the protocol. */
function refuseOddAnswers(request: ClientRequest, over: (result: Result) => void): void {
  const refuse = (detail: string) => over({ kind: 'failed', error: 'bad_answer', detail })
  limitInformational(request, refuse)
  request.on('upgrade', (_response, socket) => {
    socket.destroy()
    refuse('The response changes the protocol (101).')
  })
}
