import type { IncomingHttpHeaders } from 'node:http'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import type { Db } from '../../db/index.ts'
import { listMessages } from '../../messages/mail.ts'
import type { ProcessGroup } from '../../processes/process-group.ts'
import type { Metrics } from '../../telemetry/metrics.ts'
import type { App } from '../core/app-type.ts'
import { defineGuard, type Guard, publicRoute } from '../core/guard.ts'
import { httpProblems } from '../core/problems.ts'
import type { Readiness } from './readiness.ts'

/**
 * Adds liveness and readiness probes. The service is live if the process responds. It is ready if the database
 * responds, the storage accepts bytes, each further check succeeds, and the process is not about to stop. `warnings`
 * contains `disk` while too little disk space is free, and `processes` while an API process of this node does not serve
 * requests. The others do, so the node stays ready.
 */
export function addHealthRoutes(
  app: App,
  readiness: Readiness,
  { isLeaving, isComplete }: { isLeaving?: () => boolean; isComplete?: (() => boolean) | undefined } = {},
): void {
  const options = { onRequest: publicRoute, schema: { hide: true }, config: { unlimited: true } }
  app.get('/health/live', options, async () => ({ status: 'ok' }))
  app.get('/health/ready', options, async () => {
    if (isLeaving?.() === true) throw unready('The service is shutting down.')
    await readiness.checkDatabase()
    await readiness.checkStorage()
    const down = Object.entries(await readiness.checkParts()).flatMap(([part, isWorking]) => (isWorking ? [] : [part]))
    if (down.length > 0) throw partsDown(down)
    const warnings = [
      ...((await readiness.hasFreeDisk()) ? [] : ['disk']),
      ...((isComplete?.() ?? true) ? [] : ['processes']),
    ]
    return { status: 'ready', ...(warnings.length === 0 ? {} : { warnings }) }
  })
}

const partsDown = (parts: string[]) => unready(`Not working: ${parts.join(', ')}.`, { parts })

function unready(detail: string, members: { parts?: string[] } = {}) {
  return httpProblems.service_unavailable({ detail, headers: { 'Retry-After': '10' }, members })
}

/** Adds the metrics of this process, or those of all processes of its node. */
export function addMetricsRoute(
  app: App,
  { registry }: Pick<Metrics, 'registry'>,
  guard: Guard,
  group: Pick<ProcessGroup, 'readMetrics'> = { readMetrics: (own) => own.metrics() },
): void {
  app.get(
    '/metrics',
    { onRequest: guard, schema: { hide: true }, config: { unlimited: true } },
    async (_request, reply) => reply.type(registry.contentType).send(await group.readMetrics(registry)),
  )
}

/**
 * Guard for pages that only a developer on this computer may see. All other callers get 404. If the public URL of the
 * service names another host, the pages are closed for everyone: a proxy on this computer may then forward requests of
 * others, possibly without adding a header.
 *
 * @param publicName host name of the configured public URL
 */
export function loopbackOnly(publicName: string): Guard {
  const isPublic = !isLoopbackName(publicName)
  return defineGuard({ kind: 'local' }, async ({ raw, headers }) => {
    // Uses the IP address of the socket, because a client can forge headers.
    const address = raw.socket.remoteAddress ?? ''
    const isLoopback = isIP(address) !== 0 && ipaddr.process(address).range() === 'loopback'
    if (isPublic || !isLoopback || isForwarded(headers) || isForeign(headers) || !isOwnName(headers.host)) {
      throw httpProblems.not_found()
    }
  })
}

/** Tells whether a host name always leads to the computer itself (RFC 6761 for `localhost`). */
export function isLoopbackName(name: string): boolean {
  return /^((.+\.)?localhost|127(\.\d+){3}|\[::1\])$/.test(name)
}

/** Headers that proxies and tunnels on this computer add to the requests of others. */
const FORWARDED = /^(via|forwarded|x-real-ip|x-forwarded-.*|cf-.*)$/

function isForwarded(headers: IncomingHttpHeaders): boolean {
  return Object.keys(headers).some((name) => FORWARDED.test(name))
}

/** Tells whether a page of another site in a local browser sent the request. */
function isForeign(headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/**
 * Checks the host name. With DNS rebinding, a hostile page in a local browser can direct its own name to this computer,
 * but no loopback name.
 */
function isOwnName(host: string | undefined): boolean {
  if (host === undefined) return true
  const name = host.toLowerCase().replace(/:\d+$/, '')
  return isLoopbackName(name) || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0
}

/**
 * Adds a page with the waiting mails and text messages, newest first.
 *
 * @param publicName host name of the configured public URL, by which `loopbackOnly` decides who sees the page
 */
export function addOutboxRoute(app: App, db: Db, publicName: string): void {
  app.get(
    '/dev/outbox',
    { onRequest: loopbackOnly(publicName), schema: { hide: true }, config: { unlimited: true } },
    async (_request, reply) => {
      const messages = await listMessages(db)
      reply.header('Cache-Control', 'no-store')
      return messages.map(({ id: _, ...message }) => ({ ...message, at: message.at.toISOString() }))
    },
  )
}
