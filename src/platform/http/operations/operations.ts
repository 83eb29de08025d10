import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import pTimeout, { TimeoutError } from 'p-timeout'
import type { Db } from '../../db/index.ts'
import type { DatabaseProbe } from '../../db/probe.ts'
import { listMessages } from '../../mail.ts'
import type { Metrics } from '../../metrics.ts'
import { type Storage, storageUnavailable } from '../../storage/index.ts'
import type { App } from '../core/app-type.ts'
import { defineGuard, type Guard, publicRoute } from '../core/guard.ts'
import { httpProblems } from '../core/problems.ts'
import { databaseUnavailable } from '../responses/errors.ts'

/** How long the database and the storage may each take to say that they are there. */
const READY_TIMEOUT_MS = 2_000

export interface OtherChecks {
  /** Parts by name; each answers within about a second, and never fails. */
  parts?: Readonly<Record<string, () => Promise<boolean>>>
  isLeaving?: () => boolean
}

/**
 * Liveness and readiness probes. Live: the process answers. Ready: it can serve, that is, the database answers, the
 * storage takes bytes, each of the other parts works, and the process is not about to stop. `warnings` holds `disk` while
 * too little disk space is free.
 */
export function addHealthRoutes(
  app: App,
  database: Pick<DatabaseProbe, 'check'>,
  storage: Pick<Storage, 'check' | 'requireFree'>,
  { parts = {}, isLeaving }: OtherChecks = {},
): void {
  const options = { onRequest: publicRoute, schema: { hide: true }, config: { unlimited: true } }
  app.get('/health/live', options, async () => ({ status: 'ok' }))
  app.get('/health/ready', options, async () => {
    if (isLeaving?.() === true) throw httpProblems.service_unavailable({ detail: 'The service is shutting down.' })
    await inTime(database.check()).catch(() => {
      throw databaseUnavailable()
    })
    await inTime(storage.check()).catch((error: unknown) => {
      throw error instanceof TimeoutError ? storageUnavailable(error) : error
    })
    const working = await Promise.all(
      Object.entries(parts).map(async ([part, isWorking]) => ({ part, isWorking: await isWorking() })),
    )
    const down = working.filter(({ isWorking }) => !isWorking).map(({ part }) => part)
    if (down.length > 0) throw partsDown(down)
    return { status: 'ready', ...((await hasFreeDisk(storage)) ? {} : { warnings: ['disk'] }) }
  })
}

/** A node whose disk is nearly full still answers most requests, and others may share the disk with it. */
function hasFreeDisk({ requireFree }: Pick<Storage, 'requireFree'>): Promise<boolean> {
  return inTime(requireFree()).then(
    () => true,
    () => false,
  )
}

function partsDown(parts: string[]) {
  const detail = `Not working: ${parts.join(', ')}.`
  return httpProblems.service_unavailable({ detail, headers: { 'Retry-After': '10' }, members: { parts } })
}

/** @throws {TimeoutError} when there is no answer within the time of a probe */
function inTime(answer: Promise<unknown>): Promise<unknown> {
  return pTimeout(answer, { milliseconds: READY_TIMEOUT_MS, message: `no answer within ${READY_TIMEOUT_MS} ms` })
}

export function addMetricsRoute(app: App, metrics: Metrics, guard: Guard): void {
  app.get(
    '/metrics',
    { onRequest: guard, schema: { hide: true }, config: { unlimited: true } },
    async (_request, reply) => reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  )
}

/**
 * For pages that only a developer at this machine may see. To everyone else they do not exist. A public host name that
 * leads to this machine closes them altogether: whatever brings requests of others here may add no header at all.
 *
 * @param publicName host name of the configured public URL
 */
export function loopbackOnly(publicName: string): Guard {
  const isPublic = !isLoopbackName(publicName)
  return defineGuard({ kind: 'local' }, async ({ raw, headers }) => {
    // The socket's own address: a header must not make anybody local.
    const address = raw.socket.remoteAddress ?? ''
    const isLoopback = isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback'
    if (isPublic || !isLoopback || isForwarded(headers) || isForeign(headers) || !isOwnName(headers.host)) {
      throw httpProblems.not_found()
    }
  })
}

/** Host names that lead to the machine itself (RFC 6761 for `localhost`). */
export function isLoopbackName(name: string): boolean {
  return /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(name)
}

/** What proxies and tunnels on this machine add to the requests of others. */
const FORWARDED = /^(via|forwarded|x-real-ip|x-forwarded-.*|cf-.*)$/

function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDED.test(name))
}

/** Whether a page of another site in a local browser sent the request. */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/** A stranger's page in a local browser can have its own name lead to this machine (DNS rebinding), but no other name. */
function isOwnName(host: string | undefined): boolean {
  if (host === undefined) return true
  const name = host.toLowerCase().replace(/:\d+$/, '')
  return isLoopbackName(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

/** What would have been sent by mail or text message, newest first. `publicName` as for `loopbackOnly`. */
export function addOutboxRoute(app: App, db: Db, publicName: string): void {
  app.get(
    '/dev/outbox',
    { onRequest: loopbackOnly(publicName), schema: { hide: true }, config: { unlimited: true } },
    async (_request, reply) => {
      const messages = await listMessages(db)
      reply.header('Cache-Control', 'no-store')
      return messages.map((message) => ({ ...message, at: message.at.toISOString() }))
    },
  )
}
