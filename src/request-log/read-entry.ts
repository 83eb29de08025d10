import type { Clock } from '../platform/clock.ts'
import { addressKey } from '../platform/http/core/client-address.ts'
import type { Principal } from '../platform/http/core/principal.ts'
import type { EndedEntry } from './entry.ts'

const API = /^(?:\/v1)?\/api\/|^\/v1\//

/** Paths of the API document, by the paths of the routes. There are a few hundred. */
const documented = new Map<string, string>()

/** What is read of a request. */
interface EndedRequest {
  id: string
  method: string
  url: string
  ip: string
  query: unknown
  principal: Principal | undefined
  problemCode: string | undefined
  routeOptions: {
    url?: string | undefined
    schema?: { querystring?: unknown }
    config: { staysOpen?: boolean }
  }
}

interface Ended {
  statusCode: number
  /** In milliseconds. */
  elapsedTime: number
}

/**
 * Returns what the log stores of a request. Returns undefined for files, pages, probes and streams of events, and for
 * the requests with which browsers ask for permission (CORS).
 */
export function readEntry(request: EndedRequest, response: Ended, clock: Clock): EndedEntry | undefined {
  const { routeOptions, principal, method } = request
  const { url, schema, config } = routeOptions
  if (method === 'OPTIONS' || config.staysOpen === true || !API.test(url ?? request.url)) return undefined
  const { operationId } = (schema ?? {}) as { operationId?: string }
  if (url !== undefined && operationId === undefined) return undefined
  return {
    requestId: request.id,
    endedAt: clock.now(),
    method,
    route: url === undefined ? null : documentedPath(url),
    operation: operationId ?? null,
    parameters: parametersOf(request),
    status: response.statusCode,
    problem: request.problemCode ?? null,
    durationMs: Math.round(response.elapsedTime),
    caller: principal?.kind ?? null,
    userId: principal?.userId ?? null,
    actorId: principal?.actorId ?? null,
    credentialId: principal?.credentialId ?? null,
    network: addressKey(request.ip),
    isStaff: principal !== undefined && (principal.role !== 'customer' || principal.actorId !== undefined),
  }
}

function documentedPath(url: string): string {
  const known = documented.get(url)
  if (known !== undefined) return known
  const path = url.replace(/^\/v1(?=\/)/, '').replaceAll(/:([A-Za-z]+)/g, '{$1}')
  documented.set(url, path)
  return path
}

/** Returns the names that the API document lists. Others could contain a secret that was sent by mistake. */
function parametersOf({ query, routeOptions }: EndedRequest): string[] {
  const sent = Object.keys((query ?? {}) as object)
  if (sent.length === 0) return sent
  const { properties = {} } = (routeOptions.schema?.querystring ?? {}) as { properties?: object }
  return sent.filter((name) => Object.hasOwn(properties, name))
}
