import type { Config } from '../../config/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import type { Replica } from '../../platform/db/reading/replica.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { pageOf, readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import type { StorageQuota } from '../../platform/storage/index.ts'
import { callerOf } from '../http/caller-of.ts'
import { requireAdminStepUp, requireRole, requireSession } from '../http/guards.ts'
import { authProblems } from '../problems.ts'
import type { SessionDeps } from '../sessions/end-sessions.ts'
import { normalizeEmailAddress } from '../users/email-address.ts'
import { listUsers } from '../users/list-users.ts'
import { findUser, updateUser } from '../users/store.ts'
import { changeAccess } from './change-access.ts'
import { checkedUserId, requireAccount, requiredAccount } from './require-account.ts'
import {
  AccessChange,
  ManagedUserBody,
  OwnUserBody,
  ProfileChange,
  StorageBody,
  toManagedUserBody,
  toOwnUserBody,
  UserListQuery,
  UserParams,
} from './schemas.ts'

interface ProfileDeps {
  db: Db
  clock: Clock
  quota: Pick<StorageQuota, 'read'>
}

export function profileRoutes(app: App, { db, clock, quota }: ProfileDeps): void {
  app.get(
    '/me',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'getMe',
        tags: ['Account'],
        summary: 'Read the account of the caller',
        description: 'Returns email address, name and role. Needs a session; API keys have no access.',
        response: { 200: OwnUserBody },
      },
    },
    async (request) => toOwnUserBody(requiredAccount(await findUser(db, principalOf(request).userId))),
  )

  app.patch(
    '/me',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'updateMe',
        problems: [authProblems.user_not_found],
        tags: ['Account'],
        summary: 'Change the name or the language of the caller',
        description: '`null` removes a member. A new email address needs `POST /api/auth/email/change`.',
        body: ProfileChange,
        response: { 200: OwnUserBody },
      },
    },
    async (request) => {
      const { userId } = principalOf(request)
      return toOwnUserBody(requiredAccount(await updateUser(db, userId, request.body, clock.now())))
    },
  )

  app.get(
    '/me/storage',
    {
      onRequest: requireSession(),
      schema: {
        operationId: 'getMyStorage',
        tags: ['Account'],
        summary: 'Read the storage use of the account',
        description:
          'Print files and finalized designs do not count. Above `quota`, the service rejects uploads and saves that need more storage with status 413.',
        response: { 200: StorageBody },
      },
    },
    async (request) => quota.read(principalOf(request).userId),
  )
}

type UserRouteDeps = SessionDeps & { config: Pick<Config, 'origin'>; replica: Replica }

export function userRoutes(app: App, auth: UserRouteDeps): void {
  app.get(
    '/users',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'listUsers',
        tags: ['Users'],
        summary: 'Search users',
        description:
          'For administrators. Accounts, newest first. All filters must match. Customers without an account are in `GET /customers`.',
        querystring: UserListQuery,
        response: { 200: pageOf(ManagedUserBody) },
      },
    },
    async ({ query }) => {
      const { q: words, email, externalId, role, staffRole, disabled } = query
      const normal = email === undefined ? undefined : (normalizeEmailAddress(email) ?? '')
      const filter = { words, email: normal, externalId, role, staffRole, disabled }
      const users = await auth.replica.read((db) => listUsers(db, filter, query, readCursor(query)))
      return toPage(users, query, toManagedUserBody)
    },
  )

  app.get(
    '/users/:userId',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'getUser',
        tags: ['Users'],
        summary: 'Read a user',
        description: 'For administrators.',
        params: UserParams,
        response: { 200: ManagedUserBody },
      },
    },
    async (request) => toManagedUserBody(await requireAccount(auth.db, request.params.userId)),
  )

  app.patch(
    '/users/:userId',
    {
      onRequest: requireAdminStepUp(),
      schema: {
        operationId: 'updateUser',
        problems: [authProblems.last_administrator, authProblems.staff_role_needs_operator],
        tags: ['Users'],
        summary: 'Change a user',
        description:
          'Changes the role or the staff role of a user, or disables or enables the user. The change applies to all sessions and API keys of the user within a second. Disabling ends the sessions; API keys stop working until the user is enabled.',
        params: UserParams,
        body: AccessChange,
        response: { 200: ManagedUserBody },
      },
    },
    async (request) =>
      toManagedUserBody(
        await changeAccess(auth, callerOf(auth, request), checkedUserId(request.params.userId), request.body),
      ),
  )
}
