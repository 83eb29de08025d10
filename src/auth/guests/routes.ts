import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { createFairTurns } from '../../platform/concurrency/fair-turns.ts'
import { networkOfOwner } from '../../platform/concurrency/semaphore.ts'
import { anonymousRoute } from '../../platform/http/core/guard.ts'
import { acceptedLanguages } from '../../platform/http/input/accepted-languages.ts'
import { ownerOfBody } from '../../platform/http/input/large-bodies.ts'
import type { App } from '../../platform/http/server.ts'
import type { InTurn } from '../accounts/personal-data/move-rest.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import { requireSession } from '../http/guards.ts'
import { SessionQuery } from '../http/session-cookie.ts'
import { COOKIE_PROBLEMS, customerProblems } from '../problems.ts'
import { Closed, isLocale } from '../schemas.ts'
import { TokenBody } from '../sessions/schemas.ts'
import { type PresentDeps, tokensFor } from '../sign-in/present-sign-in.ts'
import { type ClaimGuestDeps, claimGuest } from './claim-guest.ts'
import { type OpenGuestDeps, openGuest } from './open-guest.ts'

const ClaimBody = Type.Object(
  {
    guestToken: Type.String({
      minLength: 1,
      maxLength: 4096,
      description: 'The refresh token of the guest. Its access token works too.',
    }),
  },
  Closed,
)

const ClaimedBody = Type.Object(
  {
    designs: Type.Integer({ description: 'How many designs the guest had. All of them are moved.' }),
    assets: Type.Integer({
      description: 'How many assets the guest had, with those that the account already had.',
    }),
    orders: Type.Integer({ description: 'How many orders the guest had. All of them are moved.' }),
  },
  { ...Closed, title: 'GuestClaim' },
)

/** Each transaction of a claim takes a tenth of this, unless it waits for a lock. */
const LONGEST_CLAIM_MS = 1_000

const localeOf = ({ headers }: FastifyRequest): string | null =>
  acceptedLanguages(headers['accept-language']).find((tag) => isLocale(tag)) ?? null

export function guestRoutes(app: App, auth: OpenGuestDeps & ClaimGuestDeps & PresentDeps): void {
  // Claims wait before each of their transactions, which all readers of events would otherwise wait for.
  const claiming = createFairTurns({ longestMs: LONGEST_CLAIM_MS, groupOf: networkOfOwner })

  app.post(
    '/api/auth/guest',
    {
      onRequest: anonymousRoute,
      config: { rateLimit: 'guest', limitsNetwork: true },
      schema: {
        querystring: SessionQuery,
        operationId: 'createGuest',
        problems: [...COOKIE_PROBLEMS],
        tags: ['Guests'],
        summary: 'Start as a guest',
        description:
          'For visitors without an account. A guest has designs, assets, fonts, quotes, and orders whose `shippingAddress` has an `email`: up to 20 designs (403 `guest_limit_reached`) and 50 MiB (413 `storage_quota_exceeded`; 500 MiB for all guests of an IP address together, 2 GiB for those of its network). After 30 days without use, the guest is erased. `POST /api/auth/guest/claim` moves its work to an account. Mails about its orders are in the language that `Accept-Language` prefers. At most 30 requests a minute per IP address, and 300 a minute and 6,000 a day per network (IPv4 /24, IPv6 /48).',
        response: { 201: TokenBody },
      },
    },
    async (request, reply) => {
      reply.code(201)
      return tokensFor(auth, reply, await openGuest(auth, clientOf(auth, request), localeOf(request)))
    },
  )

  app.post(
    '/api/auth/guest/claim',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'claimGuest',
        problems: [customerProblems.invalid_guest_token],
        tags: ['Guests'],
        summary: 'Move the work of a guest to the account of the caller',
        description:
          'Moves designs, assets, fonts, quotes and orders, and ends the tokens of the guest. Archived designs and the oldest records of many are moved last. If that fails, a job moves them within minutes. The counts of the response include them. An asset that the account already has becomes one with it. If the account had more than its storage quota afterwards, nothing is moved (413 `storage_quota_exceeded`). An account makes at most 60 claims an hour.',
        body: ClaimBody,
        response: { 200: ClaimedBody },
      },
    },
    async (request) => {
      const inTurn: InTurn = (transaction) => claiming.run(ownerOfBody(request), transaction)
      const { guestToken } = request.body
      const moved = await claimGuest(auth, callerOf(auth, request), guestToken, inTurn)
      const { designs = 0, assets = 0, orders = 0 } = moved
      return { designs, assets, orders }
    },
  )
}
