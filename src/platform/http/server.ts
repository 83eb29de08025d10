import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { type FastifyBaseLogger, type FastifyRequest, fastify, LogController } from 'fastify'
import { createRequestContext, type RequestContext, runInRequest } from '../concurrency/request-context.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics.ts'
import { DRAIN_MS, drainBeforeClose } from './connections/drain.ts'
import type { App } from './core/app-type.ts'
import { requireGuards } from './core/guard.ts'
import { accountOf, type Principal } from './core/principal.ts'
import { httpProblems } from './core/problems.ts'
import { addCors } from './cors.ts'
import { addFlowControl } from './flow/flow-control.ts'
import type { FlowLimits } from './flow/limits.ts'
import { keepDiskFree } from './full-disk.ts'
import { joiningRequests } from './input/joined-parts.ts'
import { createLargeBodyQueue, LARGE_BODY_BYTES } from './input/large-bodies.ts'
import { parseStrictJson } from './input/strict-json.ts'
import { type ResponseCheck, serializerFor, validatorCompiler } from './input/validation.ts'
import { addMethodAnswers } from './methods.ts'
import { createRateLimits, type LimitedLookUp, type RateLimits } from './rate-limit.ts'
import { sendProblem } from './responses/errors.ts'
import { NOT_KEPT } from './responses/etag.ts'
import { answerUnreadable, beginResponse, requestIdOf, SHORT_PARTS } from './responses/raw-answers.ts'

export type { App } from './core/app-type.ts'

/** JSON bodies; uploads state their own limit. */
export const JSON_BODY_BYTES = 1024 * 1024

/** Room for an unusually long token: it shall be answered 401, as any other bad token, rather than 431. */
const HEADER_BYTES = 32 * 1024

/** A request has arrived completely by then: an upload of 64 MiB at 75 KiB/s. One that stands still ends earlier. */
const REQUEST_MS = 15 * 60_000

export interface HttpOptions {
  log: Log
  metrics: Metrics
  /** Addresses and networks whose `X-Forwarded-*` headers are believed. */
  trustedProxies: readonly string[]
  /** Refuse what did not come over HTTPS (directly or through a trusted proxy). */
  httpsOnly: boolean
  /** Origins whose pages may read answers. */
  pageOrigins?: readonly string[]
  /** Undefined: requests are not limited. */
  rateLimits: RateLimits | undefined
  /** What clients may make the process hold; undefined: anything. */
  flow: FlowLimits | undefined
  /** Rejects while too little disk space is free; see `FreeDisk`. Left out: there is always enough. */
  requireFreeDisk?: () => Promise<void>
  /** Base of the documentation addresses in problems. */
  documentationBase: string
  /**
   * Finds out who is calling; undefined for nobody, also when the credential is bad.
   *
   * @param lookUp what a search for a credential goes through that may be invented; left out: nothing limits it
   */
  authenticate(request: FastifyRequest, lookUp?: LimitedLookUp): Promise<Principal | undefined>
  /** For tests, whose own connections need no time to end: how long idle ones may delay the end. */
  drainMs?: number
  isLeaving?: () => boolean
  /** For tests: what to do when an answer does not match its documented schema. */
  onResponseMismatch?: ResponseCheck
}

/**
 * The HTTP base every feature builds on: security headers, request ids, strict bodies, problem details, guards,
 * rate limits, metrics. It knows no feature.
 */
export function createHttpApp(options: HttpOptions): App {
  const app = fastify({
    loggerInstance: options.log as FastifyBaseLogger,
    // One child logger a request is costly; log lines name the request id where they need it.
    childLoggerFactory: (logger) => logger,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: (request) => requestIdOf(request as IncomingMessage),
    trustProxy: options.trustedProxies.length === 0 ? false : [...options.trustedProxies],
    bodyLimit: JSON_BODY_BYTES,
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // An id of any length is looked up, and not found.
    routerOptions: { maxParamLength: HEADER_BYTES, ignoreDuplicateSlashes: false },
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply, options.documentationBase)
    },
    clientErrorHandler: (error, socket) => answerUnreadable(error, socket, options.documentationBase),
    serverFactory: (handler) => {
      const server = createServer(
        {
          maxHeaderSize: HEADER_BYTES,
          requireHostHeader: false,
          keepAliveTimeout: 72_000,
          requestTimeout: REQUEST_MS,
          IncomingMessage: joiningRequests((socket) => {
            const error = Object.assign(new Error('the body has too many parts'), { code: SHORT_PARTS })
            answerUnreadable(error, socket, options.documentationBase)
            socket.destroySoon()
          }),
        },
        (request, response) => {
          beginResponse(request, response)
          handler(request, response)
        },
      )
      // Node would answer these by itself, without our headers.
      server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
        beginResponse(request, response)
        handler(request, response)
      })
      server.on('connect', (_request, socket) =>
        answerUnreadable(new Error('CONNECT is not supported'), socket, options.documentationBase),
      )
      return server
    },
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App

  app.setValidatorCompiler(validatorCompiler)
  app.setSerializerCompiler(serializerFor(options.onResponseMismatch))
  app.setErrorHandler((error, request, reply) => sendProblem(error, request, reply, options.documentationBase))
  useStrictJson(app)
  app.decorateRequest('principal', undefined)
  addCors(app, options.pageOrigins ?? [])
  addEntryChecks(app, options)
  if (options.flow !== undefined) {
    const { log, documentationBase, flow: limits } = options
    addFlowControl(app, { log, documentationBase, limits, metrics: options.metrics.flow })
  }
  if (options.requireFreeDisk !== undefined) keepDiskFree(app, options.requireFreeDisk)
  requireGuards(app)
  drainBeforeClose(app, options.drainMs ?? DRAIN_MS, options.isLeaving)
  addMethodAnswers(app)
  return app
}

function useStrictJson(app: App): void {
  const untilMayParse = createLargeBodyQueue()
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (request: FastifyRequest, body: Buffer) => {
    requirePlainUtf8(request)
    if (body.length > LARGE_BODY_BYTES) await untilMayParse(accountOf(request), request.raw.socket)
    return body.length === 0 ? undefined : parseStrictJson(body)
  })
}

/** What is said to be compressed, or in another encoding, is not read as if it were neither. */
function requirePlainUtf8({ headers }: FastifyRequest): void {
  const charset = /;\s*charset\s*=\s*"?([^";\s]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!/^utf-?8$/i.test(charset) || encoding !== 'identity') throw httpProblems.unsupported_media_type()
}

/** Some clients name a type for a body that they do not send (`curl -d ''`). */
function forgetTypeOfNothing({ headers }: FastifyRequest): void {
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true
  if (isForm && headers['content-length'] === '0') delete headers['content-type']
}

/** The database's texts hold no NUL: a filter with it is a mistake. An id with it is one of those that nothing has. */
function requireStorableQuery(url: string): void {
  const begin = url.indexOf('?')
  if (begin === -1 || !url.includes('%00', begin)) return
  for (const [parameter, value] of new URLSearchParams(url.slice(begin))) {
    if (!`${parameter}${value}`.includes('\0')) continue
    const detail = 'This holds a NUL character.'
    throw httpProblems.validation_failed({ detail, errors: [{ code: 'wrong_format', parameter, detail }] })
  }
}

/**
 * Node keeps the first of several Host headers, and a proxy before it may have gone by another one.
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
  if (count > 1) throw httpProblems.malformed_request('There is more than one Host header.')
}

declare module 'fastify' {
  interface FastifyRequest {
    context: RequestContext
  }
}

/** Lets the work of a request know whose it is, down to the database. */
function keepRequestContext(app: App): void {
  // Always set by the first hook.
  app.decorateRequest('context', null as unknown as RequestContext)
  app.addHook('onRequest', (request, _reply, done) => {
    request.context = createRequestContext()
    runInRequest(request.context, done)
  })
  // The parser calls back from events of the socket, where the context is lost.
  app.addHook('preValidation', (request, _reply, done) => runInRequest(request.context, done))
  // Work that outlives its response is not the account's any more.
  app.addHook('onResponse', async ({ context }) => {
    context.account = undefined
  })
}

/** What every request goes through, in this order, before its route's guard. */
function addEntryChecks(app: App, options: HttpOptions): void {
  const limits = options.rateLimits && createRateLimits(options.rateLimits)
  keepRequestContext(app)
  app.addHook('onRequest', async (request, reply) => {
    requireOneHost(request.raw)
    requireStorableQuery(request.url)
    forgetTypeOfNothing(request)
    if (options.httpsOnly && request.protocol !== 'https' && !request.url.startsWith('/health/'))
      throw httpProblems.https_required()
    request.principal = await options.authenticate(request, limits?.lookUpFor(request, reply))
    Object.assign(request.context, {
      account: accountOf(request),
      isCustomer: request.principal?.role === 'customer',
    })
    if (request.principal !== undefined) reply.header('Cache-Control', NOT_KEPT)
  })
  if (limits !== undefined) {
    app.addHook('onRoute', ({ config }) => limits.requireKnown(config))
    app.addHook('onRequest', limits.count)
  }
  app.addHook('onResponse', async (request, reply) => {
    const seconds = reply.elapsedTime / 1000
    const route = request.routeOptions.url ?? 'none'
    options.metrics.requests.observe(
      { method: request.method, route, status: `${Math.floor(reply.statusCode / 100)}xx` },
      seconds,
    )
    if (options.log.isLevelEnabled('info')) {
      const { credentialId } = request.principal ?? {}
      options.log.info(
        {
          requestId: request.id,
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
  })
}
