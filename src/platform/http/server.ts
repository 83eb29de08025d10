import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Readable } from 'node:stream'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyBaseLogger, type FastifyReply, type FastifyRequest, fastify, LogController } from 'fastify'
import { type Awaitable, andThen } from '../awaitable.ts'
import { createRequestContext, type Debts, type RequestContext, runInRequest } from '../concurrency/request-context.ts'
import type { FindShare } from '../fair-share.ts'
import { JSON_PATCH_MEDIA_TYPE } from '../json-patch/schema.ts'
import { networkOf } from '../networks.ts'
import type { ProcessGroup } from '../processes/process-group.ts'
import type { Log } from '../telemetry/log.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { beginSpan, isTracing, runInSpan } from '../telemetry/span.ts'
import { readTraceparent } from '../telemetry/traceparent.ts'
import { type ConnectionLimits, defaultConnectionLimits, limitConnections } from './connections/connection-limits.ts'
import { DRAIN_MS, drainBeforeClose } from './connections/drain.ts'
import type { App } from './core/app-type.ts'
import { departureOf } from './core/departure.ts'
import { requireGuards } from './core/guard.ts'
import { accountOf, type Principal } from './core/principal.ts'
import { httpProblems } from './core/problems.ts'
import { announceDeprecation } from './core/route-headers.ts'
import { createTrustedProxies } from './core/trusted-proxies.ts'
import { addCors, type CookiePages } from './cors.ts'
import { limitAnonymousBodies } from './flow/body-limits.ts'
import { addFlowControl } from './flow/flow-control.ts'
import type { FlowLimits } from './flow/limits.ts'
import { keepDiskFree, type RequireFree } from './full-disk.ts'
import { cutForwardedFor, cutLongPath, requireShortHeaders } from './input/header-limits.ts'
import { joiningRequests } from './input/joined-parts.ts'
import { createLargeBodyQueue, LARGE_BODY_BYTES, ownerOfBody } from './input/large-bodies.ts'
import { createLargeSenders, type LargeSenders } from './input/large-senders.ts'
import { parseQuery, requireShortQuery } from './input/query-limits.ts'
import { MAX_VALUES_OF_ANONYMOUS, MAX_VALUES_OF_CUSTOMERS, parseStrictJson } from './input/strict-json.ts'
import { type ResponseCheck, serializerFor, validatorCompiler } from './input/validation.ts'
import { addMethodAnswers } from './methods.ts'
import { createRateLimits, type LimitedLookUp, type RateLimits } from './rate-limit.ts'
import { sendProblem } from './responses/errors.ts'
import { NO_STORE } from './responses/etag.ts'
import { beginResponse, requestIdOf, respondUnreadable, SHORT_PARTS } from './responses/raw-responses.ts'

export type { App } from './core/app-type.ts'

/** The limit for JSON bodies of signed-in callers. Uploads and anonymous callers have their own limits. */
export const JSON_BODY_BYTES = 1024 * 1024

/**
 * Large enough for an unusually long token. The response to it is then 401, as for other invalid tokens, and not 431.
 */
const HEADER_BYTES = 32 * 1024

/** Beyond this number of headers, Node.js stops parsing and refuses the request. */
const MOST_HEADERS = 100

/** The limit for receiving a request, enough for an upload of 64 MiB at 75 KiB/s. Stalled requests end earlier. */
const REQUEST_MS = 15 * 60_000

/** The limit for receiving the head of a request, also on a connection that has sent nothing yet. */
const HEADERS_MS = 30_000
const CHECK_CONNECTIONS_MS = 5_000

export interface HttpOptions {
  log: Log
  metrics: Metrics
  /** IP addresses and networks whose `X-Forwarded-*` headers are trusted. */
  trustedProxies: readonly string[]
  /** Rejects requests that did not arrive over HTTPS, directly or through a trusted proxy. */
  httpsOnly: boolean
  /** Origins whose web pages may read responses; see `createOrigins`. */
  pageOrigins?: readonly string[]
  /** To which routes which of these pages may send cookies. */
  cookiePages?: CookiePages
  /** Undefined for no rate limits. */
  rateLimits: RateLimits | undefined
  /** Limits for the resources that clients can occupy; undefined for no limits. */
  flow: FlowLimits | undefined
  /** Bounds how fast anonymous callers read files and pages (`createDownloadPace`). Default: without bounds. */
  paceDownload?: ((file: Readable) => Readable) | undefined
  /** Default: `HEADERS_MS`. Tests set a short time. */
  headersTimeoutMs?: number
  /** Default: `defaultConnectionLimits`. */
  connections?: ConnectionLimits
  /** Throws while too little disk space is free (`FreeDisk`). Undefined: disk space is not checked. */
  requireFreeDisk?: RequireFree
  /** Callers who have moved too many bytes, who wait before they take a turn. Undefined: none does. */
  debts?: Debts | undefined
  /** Finds the share of a user (`createShares`). By default, only guests count as visitors. */
  findShare?: FindShare
  /** How this process shares the requests of its node with others. Undefined: it serves all of them. */
  group?: Pick<ProcessGroup, 'processes' | 'shared'> | undefined
  /** The base of documentation URLs in problems. */
  documentationBase: string
  /**
   * Determines the caller. Returns undefined for anonymous requests and for invalid credentials.
   *
   * @param lookUp limits searches for credentials that may be invented. Default: no limit
   */
  authenticate(request: FastifyRequest, lookUp?: LimitedLookUp): Awaitable<Principal | undefined>
  /** For how long idle connections may delay the end. Tests set a short time. */
  drainMs?: number
  isLeaving?: () => boolean
  /** Called after every response. It must neither wait nor throw. */
  onRequestEnd?(request: FastifyRequest, reply: FastifyReply): void
  /** For tests: called when a response does not match its documented schema. */
  onResponseMismatch?: ResponseCheck
}

/**
 * Creates the HTTP base of all features: security headers, request ids, strict bodies, problem details, guards, rate
 * limits and metrics. It does not depend on any feature.
 */
export function createHttpApp(options: HttpOptions): App {
  const isProxy = createTrustedProxies(options.trustedProxies)
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    // A child logger for each request would be slow. Log lines state the request id where they need it.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request as IncomingMessage),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    bodyLimit: JSON_BODY_BYTES,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // An id of any length is accepted here, so that a long id gets 404 like other unknown ids.
    routerOptions: { maxParamLength: HEADER_BYTES, ignoreDuplicateSlashes: false, querystringParser: parseQuery },
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply, options.documentationBase)
    },
    clientErrorHandler: (error, socket) => respondUnreadable(error, socket, options.documentationBase),
    serverFactory: (handler) => {
      const server = createServer({
        maxHeaderSize: HEADER_BYTES,
        requireHostHeader: false,
        keepAliveTimeout: 72_000,
        requestTimeout: REQUEST_MS,
        headersTimeout: options.headersTimeoutMs ?? HEADERS_MS,
        connectionsCheckingInterval: CHECK_CONNECTIONS_MS,
        IncomingMessage: joiningRequests((socket, { isAnswered }) => {
          if (isAnswered) {
            socket.destroy()
            return
          }
          const error = Object.assign(new Error('the request body has too many short parts'), { code: SHORT_PARTS })
          respondUnreadable(error, socket, options.documentationBase)
          socket.destroySoon()
        }),
      })
      server.maxHeadersCount = MOST_HEADERS
      const isBehindProxy = options.trustedProxies.length > 0
      const limitsRates = options.rateLimits !== undefined
      const processes = options.group?.processes
      limitConnections(
        server,
        options.connections ?? defaultConnectionLimits({ isBehindProxy, limitsRates, processes }),
        (reason) => options.metrics.flow.cut.inc({ reason }),
      )
      const handle = (request: IncomingMessage, response: ServerResponse): void => {
        if (request.socket.destroyed) return
        cutLongPath(request)
        beginResponse(request, response, { isFromProxy: isProxy(request.socket.remoteAddress) })
        handler(request, response)
      }
      server.on('request', handle)
      // Node.js would respond to these requests itself, without the headers of the service.
      server.on('checkExpectation', handle)
      server.on('connect', (_request, socket) =>
        respondUnreadable(new Error('CONNECT is not supported'), socket, options.documentationBase),
      )
      return server
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerFor(options.onResponseMismatch))
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, options.documentationBase))
  const largeSenders = createLargeSenders()
  useStrictJson(app)
  app.decorateRequest('principal', undefined)
  app.decorateRequest('problemCode', undefined)
  addCors(app, options.pageOrigins ?? [], options.cookiePages)
  keepRequestContext(app, isProxy, options.debts)
  addEntryChecks(app, options, largeSenders)
  if (options.flow !== undefined) {
    const { log, documentationBase, flow: limits, group } = options
    const { paceDownload } = options
    addFlowControl(app, {
      log,
      documentationBase,
      limits,
      metrics: options.metrics.flow,
      shared: group?.shared,
      paceDownload,
    })
  }
  limitAnonymousBodies(app)
  if (options.requireFreeDisk !== undefined) keepDiskFree(app, options.requireFreeDisk, options.findShare)
  requireGuards(app)
  drainBeforeClose(app, options.drainMs ?? DRAIN_MS, options.isLeaving)
  addMethodAnswers(app)
  return app
}

function useStrictJson(app: App): void {
  const untilMayParse = createLargeBodyQueue()
  app.removeAllContentTypeParsers()
  const parse = async (request: FastifyRequest, body: Buffer) => {
    requirePlainUtf8(request)
    request.context.noteSize?.(body.length)
    if (body.length > LARGE_BODY_BYTES) {
      const wait = () => untilMayParse(ownerOfBody(request), request.raw.socket, body.length)
      await runInRequest(request.context, wait)
    }
    if (body.length === 0) return undefined
    return parseStrictJson(body, mostValuesOf(request))
  }
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, parse)
  app.addContentTypeParser(
    JSON_PATCH_MEDIA_TYPE,
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => {
      requireDocumented(request, JSON_PATCH_MEDIA_TYPE)
      return parse(request, body)
    },
  )
}

/** Returns the limit of values in a body. Undefined is the limit for staff, who send whole catalogues. */
function mostValuesOf({ principal }: FastifyRequest): number | undefined {
  if (principal === undefined) return MAX_VALUES_OF_ANONYMOUS
  return principal.role === 'customer' ? MAX_VALUES_OF_CUSTOMERS : undefined
}

/** Rejects a body of a type that the schema of the route does not list. */
function requireDocumented({ routeOptions }: FastifyRequest, mediaType: string): void {
  const { content } = (routeOptions.schema?.body ?? {}) as { content?: Record<string, unknown> }
  if (content?.[mediaType] === undefined) throw httpProblems.unsupported_media_type()
}

/** Rejects bodies with a content encoding or another charset, because they would be misread as plain UTF-8. */
function requirePlainUtf8({ headers }: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!/^utf-?8$/i.test(charset) || encoding !== 'identity') throw httpProblems.unsupported_media_type()
}

/** Removes the media type of an empty body, because some clients send one (`curl -d ''`). */
function forgetTypeOfNothing({ headers }: FastifyRequest): void {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  if (isForm && headers['content-length'] === '0') delete headers['content-type']
}

/**
 * Rejects NUL in a query, because PostgreSQL text cannot contain NUL. A path with NUL needs no check: its id has an
 * invalid format, so the response is 404.
 */
function requireStorableQuery(url: string): void {
  const begin = url.indexOf('?')
  if (begin === -1 || !url.includes('%00', begin)) return
  for (const [parameter, value] of new URLSearchParams(url.slice(begin))) {
    if (!`${parameter}${value}`.includes('\0')) continue
    const detail = 'The query contains a NUL character.'
    throw httpProblems.validation_failed({ detail, errors: [{ code: 'wrong_format', parameter, detail }] })
  }
}

/**
 * Rejects several Host headers. Node.js uses the first one, while a proxy in front may use another.
 *
 * @throws `malformed_request` (RFC 9112, section 3.2)
 */
function requireOneHost({ rawHeaders, headers, httpVersion }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') {
    throw httpProblems.malformed_request('The Host header is missing.')
  }
  let count = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.length === 4 && rawHeaders[index]?.toLowerCase() === 'host') count += 1
  }
  if (count > 1) throw httpProblems.malformed_request('The request has more than one Host header.')
}

type IsProxy = ReturnType<typeof createTrustedProxies>

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
}

/** Makes the context of a request available to all its work, including database queries. */
function keepRequestContext(app: App, isProxy: IsProxy, debts: Debts | undefined): void {
  // No code sees this initial value, because the first hook of every request replaces it.
  app.decorateRequest('context', null as unknown as RequestContext)
  app.addHook('onRequest', (request, _reply, done) => {
    // Fastify would read all of `X-Forwarded-For` again at each of a dozen accesses, and a client may fill it.
    if (request.headers['x-forwarded-for'] !== undefined) {
      cutForwardedFor(request.headers)
      Object.defineProperty(request, 'ip', { value: request.ip })
    }
    const context = createRequestContext()
    request.context = context
    context.requestId = request.id
    context.debts = debts
    context.hasLeft = () => request.raw.socket.destroyed
    context.onLeave = departureOf(request.raw.socket)
    context.operation = (request.routeOptions.schema as { operationId?: string } | undefined)?.operationId
    if (isTracing()) context.span = beginRequestSpan(request, isProxy)
    runInRequest(context, () => runInSpan(context.span, done))
  })
  // Restores the context after the body was parsed, because the parser continues in events of the socket, which do not
  // have it.
  app.addHook('preValidation', (request, _reply, done) =>
    runInRequest(request.context, () => runInSpan(request.context.span, done)),
  )
  app.addHook('onResponse', (request, _reply, done) => {
    const { context } = request
    // Work that continues after the response does not count against the account.
    context.account = undefined
    // An idle connection keeps the context of its last request. A parsed body takes up to twenty times its bytes, so that
    // the idle connections of one client could fill the memory.
    context.noteSize = undefined
    context.hasLeft = undefined
    context.onLeave = undefined
    context.beforeWriting = undefined
    request.body = undefined
    done()
  })
}

/** Begins the span of a request. It continues the trace of a trusted proxy, but not of other clients. */
function beginRequestSpan({ raw, method, routeOptions, id, context }: FastifyRequest, isProxy: IsProxy) {
  const route = routeOptions.url
  if (route === '/metrics' || route?.startsWith('/health/')) return undefined
  return beginSpan(route === undefined ? method : `${method} ${route}`, {
    kind: 'server',
    parent: isProxy(raw.socket.remoteAddress) ? readTraceparent(raw.headers['traceparent']) : undefined,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'platen.operation': context.operation,
      'platen.request_id': id,
    },
  })
}

function endRequestSpan({ context }: FastifyRequest, { statusCode }: FastifyReply): void {
  context.span?.set({ 'http.response.status_code': statusCode })
  if (statusCode >= 500) context.span?.fail(String(statusCode))
  context.span?.end()
}

/** Finds the share of a customer with an account. Those of guests and anonymous callers follow from their account. */
function findShareOf(
  principal: Principal | undefined,
  { findShare }: Pick<HttpOptions, 'findShare'>,
): Awaitable<string | undefined> {
  return principal?.role === 'customer' && principal.kind !== 'guest' ? findShare?.(principal.userId) : undefined
}

/** The limits of routes that sign in (`countedAs`). */
const SIGN_IN_LIMITS = new Set(['signIn', 'refresh'])

/** Adds the checks that every request passes, in this order, before the guard of its route. */
function addEntryChecks(app: App, options: HttpOptions, largeSenders: LargeSenders): void {
  const limits = options.rateLimits && createRateLimits(options.rateLimits, options.group?.shared)
  // Before the limits, which count requests with a credential by it.
  app.addHook('onRequest', ({ headers, routeOptions: { config } }, _reply, done) => {
    if (config.guard?.ignoresCredential === true) delete headers.authorization
    done()
  })
  if (limits !== undefined) {
    app.addHook('onRequest', (request, reply, done) => {
      const refusal = limits.refusalOf(request)
      if (refusal === undefined) done()
      else limits.sendRefusal(refusal, request, reply, options)
    })
    app.addHook('preClose', async () => limits.close())
  }
  app.addHook('onRequest', announceDeprecation)
  const requireValid = (request: FastifyRequest): void => {
    requireOneHost(request.raw)
    requireShortHeaders(request.raw)
    requireShortQuery(request.url)
    requireStorableQuery(request.url)
    if (options.httpsOnly && request.protocol !== 'https' && !request.url.startsWith('/health/'))
      throw httpProblems.https_required()
  }
  const describeCaller = (request: FastifyRequest, share: string | undefined): void => {
    const { context, principal } = request
    context.account = accountOf(request)
    context.share = share
    context.isCustomer = principal?.role === 'customer'
    context.anonymousNetwork = principal === undefined ? networkOf(request.ip) : undefined
    context.signsIn = SIGN_IN_LIMITS.has(request.routeOptions.config.countedAs ?? '')
    const noteNetwork = () => {
      if (context.sendsLargeBodies) context.networkOfLarge ??= networkOf(request.ip)
    }
    largeSenders.mark(context)
    noteNetwork()
    context.noteSize = (bytes) => {
      largeSenders.note(context, bytes)
      noteNetwork()
    }
  }
  app.addHook('onRequest', (request, reply, done) => {
    try {
      requireValid(request)
    } catch (error) {
      // Otherwise the headers would stay in memory until the body has arrived.
      reply.header('Connection', 'close')
      if (limits === undefined) throw error
      limits.countAnonymous(request, reply).then(() => done(error as Error), done)
      return
    }
    forgetTypeOfNothing(request)
    const found = options.authenticate(request, limits?.lookUpFor(request, reply))
    const described = andThen(found, (principal) => {
      request.principal = principal
      if (principal !== undefined) reply.header('Cache-Control', NO_STORE)
      return andThen(findShareOf(principal, options), (share) => describeCaller(request, share))
    })
    if (described instanceof Promise) described.then(() => done(), done)
    else done()
  })
  if (limits !== undefined) {
    app.addHook('onRoute', ({ config }) => limits.requireKnown(config))
    app.addHook('onRequest', limits.count)
  }
  app.addHook('onResponse', (request, reply, done) => {
    const seconds = reply.elapsedTime / 1000
    const route = request.routeOptions.url ?? 'none'
    options.metrics.requests.observe(
      { method: request.method, route, status: `${Math.floor(reply.statusCode / 100)}xx` },
      seconds,
    )
    options.onRequestEnd?.(request, reply)
    endRequestSpan(request, reply)
    if (options.log.isLevelEnabled('info')) {
      const { credentialId } = request.principal ?? {}
      options.log.info(
        {
          requestId: request.id,
          traceId: request.context.span?.traceId,
          method: request.method,
          route,
          status: reply.statusCode,
          seconds,
          ip: request.ip,
          credentialId,
        },
        'request',
      )
    }
    done()
  })
}
