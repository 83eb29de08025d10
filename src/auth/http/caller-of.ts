import type { Config } from '../../config.ts'
import { readCookie } from '../../platform/http/cookie.ts'
import type { HttpRequest } from '../../platform/http/request.ts'
import type { Caller, Client } from '../caller.ts'
import { deviceCookieName } from './device-cookie.ts'
import { requirePrincipal, sessionOf } from './guards.ts'

type Settings = { config: Pick<Config, 'origin'> }

const USER_AGENT_LENGTH = 300

export function clientOf({ config }: Settings, { ip, headers }: HttpRequest): Client {
  const userAgent = headers['user-agent'] ?? ''
  return {
    ip,
    // A header may hold U+0080 to U+009F, which a terminal that shows the session list would execute.
    userAgent: userAgent.slice(0, USER_AGENT_LENGTH).replace(/\p{Cc}/gu, ' '),
    deviceCookie: readCookie(headers.cookie, deviceCookieName(config)),
  }
}

/** @throws `session_required`, `authentication_required`, `credential_not_accepted` */
export function callerOf(settings: Settings, request: HttpRequest): Caller {
  const { userId, credentialId: sessionId } = sessionOf(request)
  return { userId, sessionId, client: clientOf(settings, request) }
}

/** The caller of a route that admits administrators, in a session or through an API key. */
export function administratorOf(settings: Settings, request: HttpRequest) {
  const { userId, kind, credentialId } = requirePrincipal(request)
  return { userId, kind, credentialId, client: clientOf(settings, request) }
}
