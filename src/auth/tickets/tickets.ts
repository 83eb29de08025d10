import type { Pool } from 'pg'
import { addSeconds, type Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { bearerOf } from '../../platform/http/core/bearer.ts'
import { type Principal, principalOf } from '../../platform/http/core/principal.ts'
import type { HttpRequest } from '../../platform/http/core/request.ts'
import { permissionsOf } from '../access/permissions.ts'
import { principalOfKey } from '../api-keys/authenticate-key.ts'
import { findKeyBySecret } from '../api-keys/store.ts'
import { hashSecret, newSecret } from '../keys/secrets.ts'
import { authProblems } from '../problems.ts'
import type { RevocationCache } from '../revocation/revocation-cache.ts'
import { findSessionState, insertTicket, type TicketHolder, takeTicket } from './store.ts'

export const TICKET_SECONDS = 60

/** A credential that a ticket stands for. */
export interface HeldCredential {
  principal: Principal
  /** Returns the caller as long as the credential is valid. It queries the database only if something has changed. */
  check(): Promise<Principal | undefined>
}

/**
 * Tickets open one stream of events each, for browsers whose `EventSource` sends no header. A ticket stands for the
 * session or API key that made it, but not for its access token: the stream outlives the token.
 */
export interface Tickets {
  /**
   * Makes a ticket for the caller of a guarded request.
   *
   * @throws `session_required` for a customer token, which expires within minutes
   */
  issue(request: HttpRequest): Promise<string>
  /** Consumes a ticket. Returns undefined if it was used, has expired, or its credential has ended. */
  redeem(ticket: string): Promise<HeldCredential | undefined>
}

interface TicketDeps {
  db: Db
  pool: Pool
  clock: Clock
  revocations: Pick<RevocationCache, 'mustRevalidate'>
}

interface Found {
  principal: Principal
  expiresAtMs: number
}

export function createTickets(deps: TicketDeps): Tickets {
  const { db, clock } = deps
  return {
    issue: async (request) => {
      const ticket = newSecret()
      const expiresAt = addSeconds(clock.now(), TICKET_SECONDS)
      await insertTicket(db, { ...holderOf(request), tokenHash: hashSecret(ticket), expiresAt })
      return ticket
    },
    redeem: async (ticket) => {
      const holder = await takeTicket(db, hashSecret(ticket), clock.now())
      const found = holder && (await findCurrent(deps, holder))
      return holder && found && hold(deps, holder, found)
    },
  }
}

function holderOf(request: HttpRequest): TicketHolder {
  const { kind, userId, credentialId } = principalOf(request)
  if (kind !== 'session' && kind !== 'api_key')
    throw authProblems.session_required(
      'Open the stream with `Authorization`. Only API keys and sessions of accounts get a ticket.',
    )
  // The rotation of a key ends its earlier secret, which has the same key id.
  const reference = kind === 'session' ? credentialId : hashSecret(bearerOf(request) ?? '')
  return { kind, reference, userId }
}

function hold(deps: TicketDeps, holder: TicketHolder, first: Found): HeldCredential {
  let current: Found | undefined = first
  const { credentialId, userId } = first.principal
  return {
    principal: first.principal,
    check: async () => {
      if (current === undefined) return undefined
      const isDue = current.expiresAtMs <= deps.clock.now().getTime()
      // A refresh moves the end of a session without an invalidation.
      if (isDue || deps.revocations.mustRevalidate(credentialId, userId)) current = await findCurrent(deps, holder)
      return current?.principal
    },
  }
}

async function findCurrent(deps: TicketDeps, holder: TicketHolder): Promise<Found | undefined> {
  const found = holder.kind === 'session' ? await findSession(deps, holder) : await findKey(deps, holder)
  return found !== undefined && found.expiresAtMs > deps.clock.now().getTime() ? found : undefined
}

async function findSession({ pool }: TicketDeps, { reference, userId }: TicketHolder): Promise<Found | undefined> {
  const state = await findSessionState(pool, reference)
  if (state === undefined) return undefined
  const { role, staffRole, expiresAt } = state
  const permissions = permissionsOf(state)
  const principal: Principal = { kind: 'session', userId, role, staffRole, credentialId: reference, permissions }
  return { principal, expiresAtMs: expiresAt.getTime() }
}

async function findKey({ pool }: TicketDeps, { reference }: TicketHolder): Promise<Found | undefined> {
  const key = await findKeyBySecret(pool, reference)
  if (key === undefined || key.isRevoked || key.isOwnerDisabled) return undefined
  return { principal: principalOfKey(key), expiresAtMs: key.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY }
}
