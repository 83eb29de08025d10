import type { HttpRequest } from '../../platform/http/core/request.ts'
import type { Caller, Client } from '../caller.ts'
import { type CookieSettings, deviceCookieOf } from './cookies.ts'
import { requirePrincipal, sessionOf } from './guards.ts'

const USER_AGENT_LENGTH = 300

export function clientOf(settings: CookieSettings, { ip, headers }: HttpRequest): Client {
  const userAgent = headers['user-agent'] ?? ''
  return {
    ip,
    // A header may contain U+0080 to U+009F, which are control characters: a terminal that prints the list of sessions
    // would execute them.
    userAgent: userAgent.slice(0, USER_AGENT_LENGTH).replace(/\p{Cc}/gu, ' '),
    deviceCookie: deviceCookieOf(settings, headers.cookie),
  }
}

/**
 * Returns the caller of a route that admits only sessions.
 *
 * @throws `session_required`, `authentication_required`, `credential_not_accepted`
 */
export function callerOf(settings: CookieSettings, request: HttpRequest): Caller {
  const { userId, credentialId: sessionId } = sessionOf(request)
  return { userId, sessionId, client: clientOf(settings, request) }
}

/** Returns the caller of a route that admits administrators both in a session and with an API key. */
export function administratorOf(settings: CookieSettings, request: HttpRequest) {
  const { userId, actorId, kind, credentialId } = requirePrincipal(request)
  return { userId: actorId ?? userId, kind, credentialId, client: clientOf(settings, request) }
}
