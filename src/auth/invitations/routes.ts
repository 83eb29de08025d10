import { Type } from 'typebox'
import { anonymousRoute } from '../../platform/http/core/guard.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../../platform/http/responses/location.ts'
import { pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { OwnUserBody, toOwnUserBody } from '../accounts/schemas.ts'
import { callerOf, clientOf } from '../http/caller-of.ts'
import type { CookieSettings } from '../http/cookies.ts'
import { requireAdminStepUp, requireRole, requireStepUp } from '../http/guards.ts'
import { isId } from '../ids.ts'
import { authProblems } from '../problems.ts'
import { NoContent } from '../schemas.ts'
import { type AcceptDeps, acceptInvitation, claimInvitation, readInvitation } from './accept-invitation.ts'
import { invite, revokeInvitation } from './invite.ts'
import {
  AcceptBody,
  InvitationBody,
  InvitationListQuery,
  InvitationParams,
  NewInvitationBody,
  OfferBody,
  TokenBody,
  toInvitationBody,
  toOfferBody,
} from './schemas.ts'
import { findInvitation, listInvitations } from './store.ts'

const tags = ['Users']

/** Routes with which administrators invite. */
export function invitationRoutes(app: App, auth: AcceptDeps & CookieSettings): void {
  app.post(
    '/invitations',
    {
      onRequest: requireAdminStepUp(),
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createInvitation',
        problems: [authProblems.staff_role_needs_operator, authProblems.registration_closed],
        tags,
        summary: 'Invite a person',
        description:
          'The person gets a mail with a link that is valid for 7 days and one use, in the language `locale` (`en` or `de`, else `en`). An open invitation to the same email address ends. Mails to one email address are limited (429).',
        body: NewInvitationBody,
        response: { 201: InvitationBody },
      },
    },
    async (request, reply) =>
      idempotently(auth, request, reply, async (trx) => {
        const body = toInvitationBody(await invite(trx, auth, callerOf(auth, request), request.body))
        return { status: 201, body, headers: locationOfNew(request, body) }
      }),
  )

  app.get(
    '/invitations',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'listInvitations',
        tags,
        summary: 'List invitations',
        description: 'Newest first. Invitations that ended more than 30 days ago are deleted.',
        querystring: InvitationListQuery,
        response: { 200: pageOf(InvitationBody) },
      },
    },
    async ({ query }) => {
      const filter = { status: query.status, now: auth.clock.now() }
      return toPage(await listInvitations(auth.db, filter, query, readCursor(query)), query, toInvitationBody)
    },
  )

  app.get(
    '/invitations/:invitationId',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'getInvitation',
        tags,
        summary: 'Read an invitation',
        params: InvitationParams,
        response: { 200: InvitationBody },
      },
    },
    async ({ params }) => {
      const invitation = await findInvitation(auth.db, checkedId(params.invitationId), auth.clock.now())
      if (invitation === undefined) throw authProblems.invitation_not_found()
      return toInvitationBody(invitation)
    },
  )

  app.delete(
    '/invitations/:invitationId',
    {
      onRequest: requireAdminStepUp(),
      schema: {
        operationId: 'revokeInvitation',
        tags,
        summary: 'Revoke an invitation',
        description: 'The link in the mail stops working. An invitation that was accepted or revoked is 404.',
        params: InvitationParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await revokeInvitation(auth, callerOf(auth, request), checkedId(request.params.invitationId))
      return reply.code(204).send(null)
    },
  )
}

/** Routes for invited persons. */
export function acceptInvitationRoutes(app: App, auth: AcceptDeps & CookieSettings): void {
  app.post(
    '/api/auth/invitations/read',
    {
      onRequest: anonymousRoute,
      // It adds no rows.
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'readInvitation',
        problems: [authProblems.invalid_token],
        tags: ['Sign-in'],
        summary: 'Read the invitation of a mailed token',
        description: 'Does not use the token.',
        body: TokenBody,
        response: { 200: OfferBody },
      },
    },
    async (request) => {
      const { invitation, hasAccount } = await readInvitation(auth, request.body.token)
      return toOfferBody(invitation, hasAccount)
    },
  )

  app.post(
    '/api/auth/invitations/accept',
    {
      onRequest: anonymousRoute,
      schema: {
        operationId: 'acceptInvitation',
        problems: [
          authProblems.invalid_token,
          authProblems.invitation_needs_sign_in,
          authProblems.password_rejected,
          authProblems.sign_in_busy,
        ],
        tags: ['Sign-in'],
        summary: 'Accept an invitation with a new account',
        description:
          'Creates the account with a verified email address and the role of the invitation; no session is opened. If the email address has an account, its owner signs in and calls `POST /api/auth/invitations/claim`.',
        body: AcceptBody,
        response: { 200: Type.Object({ status: Type.Literal('accepted') }, { additionalProperties: false }) },
      },
    },
    async (request) => {
      await acceptInvitation(auth, clientOf(auth, request), request.body)
      return { status: 'accepted' as const }
    },
  )

  app.post(
    '/api/auth/invitations/claim',
    {
      onRequest: requireStepUp(),
      schema: {
        operationId: 'claimInvitation',
        problems: [authProblems.invalid_token, authProblems.invitation_for_another_account],
        tags: ['Account'],
        summary: 'Accept an invitation with the account of the caller',
        description:
          'Gives the account the role of the invitation. An account that may already do more keeps what it has.',
        body: TokenBody,
        response: { 200: OwnUserBody },
      },
    },
    async (request) => toOwnUserBody(await claimInvitation(auth, callerOf(auth, request), request.body.token)),
  )
}

function checkedId(id: string): string {
  if (!isId('invitation', id)) throw authProblems.invitation_not_found()
  return id
}
