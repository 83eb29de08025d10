import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { isShareOfVisitors, networkOfShare, shareOf } from '../../fair-share.ts'
import type { SharedCounts } from '../../processes/shared-counts.ts'
import type { Log } from '../../telemetry/log.ts'
import type { FlowMetrics } from '../../telemetry/metrics.ts'
import type { App } from '../core/app-type.ts'
import { accountOf } from '../core/principal.ts'
import { httpProblems } from '../core/problems.ts'
import { respondUnreadable } from '../responses/raw-responses.ts'
import { bodyLimitOf } from './body-limits.ts'
import { type Exchange, isBehind, isStalled, measure } from './exchange.ts'
import { createHeldBytes } from './held-bytes.ts'
import type { FlowLimits } from './limits.ts'
import { PIECE_BYTES, piecesOf } from './pieces.ts'
import { createRequestCounts } from './request-counts.ts'

const MEASURE_EVERY_MS = 1_000

/** How long a response may wait for its client even if other requests need the memory. */
const GRACE_MS = 1_000

/** The part of the memory that only accounts with less than `SMALL_ACCOUNT_BYTES` use. */
const FOR_SMALL_ACCOUNTS = 0.25

/** Cutting a connection of an account with less would free little. */
const SMALL_ACCOUNT_BYTES = 1024 * 1024

/** The part of the memory that the small accounts of one network may keep, when no other connection can be cut. */
const OF_NETWORK = 1 / 8

/** The part of the memory that all visitors of one network may hold, because a client may have any number of accounts. */
const OF_NETWORK_OF_VISITORS = 1 / 4

/** The part of the memory that all visitors may hold, because a client may have some networks. */
const OF_VISITORS = 1 / 2

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined for routes without limits. */
    exchange: Exchange | undefined
  }
}

export interface FlowControlOptions {
  log: Log
  metrics: FlowMetrics
  limits: FlowLimits
  /** Adds the requests in flight of the other processes of this node. */
  shared?: SharedCounts | undefined
  /**
   * Bounds how fast anonymous callers read what is not small: the files of the site, its pages, and the API document. Files
   * that customers store have a pace already.
   */
  paceDownload?: ((file: Readable) => Readable) | undefined
  /** The base of documentation URLs in problems. */
  documentationBase: string
}

/**
 * Limits the resources that slow clients can occupy: requests in flight, bytes for each account and for all together in
 * this process, and the time for which a connection may make no progress.
 *
 * Call this function after adding the hook that authenticates, and before adding routes.
 */
export function addFlowControl(app: App, options: FlowControlOptions): void {
  const counts = createRequestCounts(options.limits, options.shared)
  const exchanges = createExchanges(options)
  const timer = setInterval(exchanges.measure, MEASURE_EVERY_MS).unref()
  app.addHook('onClose', async () => clearInterval(timer))

  app.decorateRequest('exchange', undefined)
  app.addHook('onRequest', (request, reply, done) => {
    // Reads the options of the route only once, because Fastify creates the object again at each access.
    const route = request.routeOptions
    if (route.config.unlimited === true) return done()
    // If the client disconnected during authentication, no `close` event follows.
    if (reply.raw.destroyed) throw new ClientGone('authentication')
    const leave = counts.enter(request, route.config)
    const exchange = newExchange(request, reply)
    let isOver = false
    exchange.endIfOver = () => {
      if (isOver || !reply.raw.closed || exchange.isHandled) return
      isOver = true
      exchanges.remove(exchange)
      leave()
    }
    reply.raw.once('close', exchange.endIfOver)
    exchanges.add(exchange, bodyBytesOf(request, route))
    request.exchange = exchange
    done()
  })
  app.addHook('onRoute', countUntilHandled)

  app.addHook('onSend', (request, reply, payload, done) => {
    done(null, request.method === 'HEAD' ? withoutBody(payload) : inPieces(request, reply, payload))
  })

  const { paceDownload = (file) => file } = options

  /** Returns what is sent in place of a payload: a large body in pieces, and others unchanged. */
  const inPieces = (
    { exchange, method, principal }: FastifyRequest,
    reply: FastifyReply,
    payload: unknown,
  ): unknown => {
    if (exchange === undefined) return payload
    const paced = (file: Readable): Readable => (principal === undefined ? paceDownload(file) : file)
    if (payload instanceof Readable) {
      exchange.source = paced(payload)
      return exchange.source
    }
    const body = typeof payload === 'string' && payload.length > PIECE_BYTES ? Buffer.from(payload) : payload
    if (!Buffer.isBuffer(body) || body.length <= PIECE_BYTES) return payload
    // A request that has changed something always gets its response, because an error would suggest that nothing was
    // changed.
    exchanges.hold(exchange, body.length, { refuse: method === 'GET' })
    reply.header('Content-Length', body.length)
    return paced(piecesOf(body))
  }
}

/**
 * Lets the exchanges of a route last until its handler has ended. Otherwise, a client could send a body, leave, and repeat
 * this within all limits, while the bodies wait with their handlers. If the client has left before the handler begins, the
 * handler does not run.
 */
function countUntilHandled(route: Pick<RouteOptions, 'handler'>): void {
  const { handler } = route
  route.handler = function handleCounted(request, reply) {
    const { exchange } = request
    if (exchange === undefined) return handler.call(this, request, reply)
    if (request.raw.socket.destroyed) throw new ClientGone('handler')
    exchange.isHandled = true
    const end = (): void => {
      exchange.isHandled = false
      exchange.endIfOver()
    }
    try {
      const result: unknown = handler.call(this, request, reply)
      if (result instanceof Promise) result.then(end, end)
      else end()
      return result
    } catch (error) {
      end()
      throw error
    }
  }
}

/** Fastify would read the whole file for a response to HEAD, after the response and without a limit. */
function withoutBody(payload: unknown): unknown {
  if (!(payload instanceof Readable)) return payload
  // A download that is ended early may report that, and an error without a listener would end the process.
  payload.on('error', () => undefined).destroy()
  return Readable.from([])
}

function newExchange({ raw, principal, ip, context }: FastifyRequest, reply: FastifyReply): Exchange {
  const account = accountOf({ principal, ip })
  return {
    request: raw,
    response: reply.raw,
    account,
    network: networkOfShare(context.share ?? shareOf(account)),
    heldBytes: 0,
    waitingBytes: 0,
    source: undefined,
    behindSince: undefined,
    isHandled: false,
    endIfOver: () => undefined,
    progress: { since: 0, bytes: 0 },
  }
}

/** Returns how much memory the body of a request will take. Uploads are written to disk in pieces and count as 0. */
function bodyBytesOf(
  request: FastifyRequest,
  route: Pick<FastifyRequest['routeOptions'], 'bodyLimit' | 'config'>,
): number {
  if (route.config.rateLimit === 'upload') return 0
  const { headers } = request
  const bodyLimit = bodyLimitOf(request, route)
  const isOfUnknownLength = headers['transfer-encoding'] !== undefined
  const bytes = isOfUnknownLength ? bodyLimit : Number(headers['content-length'] ?? 0)
  return Number.isFinite(bytes) ? Math.min(bytes, bodyLimit) : bodyLimit
}

interface Slowness {
  /** Bytes of those to whom a connection belongs. */
  bytesOf: (exchange: Exchange) => number
  /** Only connections of those with more bytes are found. */
  above: number
  /** Bytes of those who need the room, including the new ones. */
  ownBytes: number
}

interface Room {
  isMissing(): boolean
  findVictim(): Exchange | undefined
}

function createExchanges({ log, metrics, limits, documentationBase }: FlowControlOptions) {
  const all = new Set<Exchange>()
  const held = createHeldBytes()

  const remove = (exchange: Exchange): void => {
    if (all.delete(exchange)) held.release(exchange)
  }

  const cut = (exchange: Exchange, reason: 'stalled_response' | 'stalled_request' | 'memory'): void => {
    const { account, heldBytes, waitingBytes } = exchange
    metrics.cut.inc({ reason })
    log.info({ reason, account, bytes: heldBytes + waitingBytes }, 'a connection was cut: its client is too slow')
    remove(exchange)
    if (reason === 'stalled_request') refuseRest(exchange, documentationBase)
    else exchange.request.socket.destroy()
  }

  /**
   * Selects the connection to cut: among the connections that are behind, the oldest one of the account with the most
   * bytes. Bodies that wait for other work of the service are not behind, so without the bound of small accounts, they
   * would have a steady reader of a file cut.
   */
  const findVictim = (ownBytes: number): Exchange | undefined =>
    findSlow({
      bytesOf: (exchange) => held.of(exchange.account) + exchange.waitingBytes,
      above: SMALL_ACCOUNT_BYTES,
      ownBytes,
    }) ??
    // A client may have any number of small accounts, so their networks are compared next.
    findSlow({
      bytesOf: (exchange) => held.ofNetwork(exchange.network) + exchange.waitingBytes,
      above: OF_NETWORK * limits.totalBytes,
      ownBytes: Number.POSITIVE_INFINITY,
    })

  const findSlow = ({ bytesOf, above, ownBytes }: Slowness): Exchange | undefined => {
    const now = performance.now()
    let found: Exchange | undefined
    let most = above
    for (const exchange of all) {
      const bytes = bytesOf(exchange)
      if (bytes <= most || !isBehind(exchange)) continue
      const waitedMs = now - (exchange.behindSince ?? now)
      if (waitedMs < GRACE_MS && bytes <= ownBytes) continue
      most = bytes
      found = exchange
    }
    return found
  }

  /**
   * Cuts connections of clients that keep the service waiting until there is room. A client that has only just begun to
   * wait is spared, unless it holds more bytes than those who need the room.
   */
  const makeRoom = ({ isMissing, findVictim }: Room): boolean => {
    while (isMissing()) {
      const victim = findVictim()
      if (victim === undefined) return false
      cut(victim, 'memory')
    }
    return true
  }

  /** @param ownBytes the bytes of the account that needs the room, including the new ones */
  const makeRoomForAll = (bytes: number, ownBytes: number): boolean =>
    makeRoom({
      isMissing: () => held.total() + bytes > limits.totalBytes,
      findVictim: () => findVictim(ownBytes),
    })

  /** @param ownBytes the bytes of the network that needs the room, including the new ones */
  const makeRoomForVisitors = (bytes: number, ownBytes: number): boolean =>
    makeRoom({
      isMissing: () => held.ofVisitors() + bytes > OF_VISITORS * limits.totalBytes,
      findVictim: () =>
        findSlow({
          // Cutting a connection that holds little, such as one that reads a file, would free little.
          bytesOf: ({ network, heldBytes }) =>
            isShareOfVisitors(network) && heldBytes > PIECE_BYTES ? held.ofNetwork(network) : 0,
          above: 0,
          ownBytes,
        }),
    })

  /** @throws `rate_limited` if visitors hold as much as they may, and no connection of theirs can be cut */
  const requireRoomOfVisitors = ({ network }: Exchange, bytes: number, refuse: boolean): void => {
    const ownBytes = held.ofNetwork(network) + bytes
    // As in `hold`, a network may hold as much as it leaves free. Otherwise two networks could fill the part of visitors.
    const free = OF_VISITORS * limits.totalBytes - held.ofVisitors()
    const most = Math.min(OF_NETWORK_OF_VISITORS * limits.totalBytes, Math.max(SMALL_ACCOUNT_BYTES, free))
    const isTooMuch = ownBytes > bytes && ownBytes > most
    if (refuse && (isTooMuch || !makeRoomForVisitors(bytes, ownBytes))) throw tooMuchForVisitors()
  }

  /**
   * Counts bytes of an exchange towards the limits of its account and of the process.
   *
   * @throws `rate_limited` or `service_unavailable`, but only if `refuse` is true
   */
  const hold = (exchange: Exchange, bytes: number, { refuse }: { refuse: boolean }): void => {
    if (!all.has(exchange)) return
    const ownBytes = held.of(exchange.account)
    // An account may hold as much as it leaves free (the dynamic threshold of Choudhury and Hahne, 1998), and leaves a
    // part for accounts that hold little. Otherwise four accounts could fill the memory, and the requests of all others
    // would be refused.
    const free = (1 - FOR_SMALL_ACCOUNTS) * limits.totalBytes - held.total()
    const most = Math.min(limits.accountBytes, Math.max(SMALL_ACCOUNT_BYTES, free))
    if (refuse && bytes > 0 && ownBytes > 0 && ownBytes + bytes > most) throw tooMuchForAccount()
    if (bytes > PIECE_BYTES) {
      if (isShareOfVisitors(exchange.network)) requireRoomOfVisitors(exchange, bytes, refuse)
      if (!makeRoomForAll(bytes, ownBytes + bytes) && refuse) throw tooMuchForAll()
    }
    // If the exchange was cut in the meantime, no later event would release these bytes.
    if (all.has(exchange)) held.hold(exchange, bytes)
  }

  return {
    add: (exchange: Exchange, bodyBytes: number): void => {
      all.add(exchange)
      if (bodyBytes > 0) hold(exchange, bodyBytes, { refuse: true })
    },
    remove,
    hold,
    measure: (): void => {
      const now = performance.now()
      for (const exchange of all) {
        measure(exchange, now)
        if (!isStalled(exchange, now, limits.stallMs)) continue
        cut(exchange, exchange.response.headersSent ? 'stalled_response' : 'stalled_request')
      }
      held.measured(all)
      makeRoomForAll(0, Number.POSITIVE_INFINITY)
      metrics.inFlight.set(all.size)
      metrics.heldBytes.set(held.total())
    },
  }
}

function refuseRest({ request: { socket } }: Exchange, documentationBase: string): void {
  const timeout = Object.assign(new Error('the request body stopped arriving'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })
  respondUnreadable(timeout, socket, documentationBase)
  socket.destroySoon()
}

function tooMuchForAccount() {
  const detail =
    'Earlier requests of this account still occupy the memory that it may have. Read their responses, then repeat the request.'
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': '1' } })
}

function tooMuchForVisitors() {
  const detail =
    'Earlier requests of guests and new customers still occupy the memory that they may have. Repeat the request later.'
  return httpProblems.rate_limited({ detail, headers: { 'Retry-After': '1' } })
}

function tooMuchForAll() {
  const detail = 'Too many large responses are waiting for slow clients. Repeat the request later.'
  return httpProblems.service_unavailable({ detail, headers: { 'Retry-After': '1' } })
}
