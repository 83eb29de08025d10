import type { Config } from '../../../config/index.ts'
import { invalidCursor, PageQuery } from '../../../platform/http/responses/pagination.ts'
import type { App } from '../../../platform/http/server.ts'
import type { StorageQuota, UsagePlace } from '../../../platform/storage/index.ts'
import { callerOf } from '../../http/caller-of.ts'
import { requireAdminStepUp, requireRole } from '../../http/guards.ts'
import { isId } from '../../ids.ts'
import { authProblems } from '../../problems.ts'
import type { SessionDeps } from '../../sessions/end-sessions.ts'
import { userIdOf } from '../../users/customer-id.ts'
import { checkedUserId } from '../require-account.ts'
import { changeStorageQuota } from './change-storage-quota.ts'
import {
  AccountParams,
  QuotaChange,
  StorageAccountBody,
  StorageAccountPage,
  StorageTotals,
  toStorageAccountBody,
} from './schemas.ts'
import { findOwners } from './store.ts'

type Deps = SessionDeps & {
  config: Pick<Config, 'origin'>
  quota: Pick<StorageQuota, 'accounts'>
}

const tags = ['Users']

/** Routes with which administrators see what accounts store, and set their quotas. */
export function storageAccountRoutes(app: App, auth: Deps): void {
  listRoutes(app, auth)
  accountRoutes(app, auth)
}

function listRoutes(app: App, { db, quota: { accounts } }: Deps): void {
  app.get(
    '/storage',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'getStorage',
        tags,
        summary: 'Read the storage use of the shop',
        description: 'For administrators.',
        response: { 200: StorageTotals },
      },
    },
    async () => ({ used: await accounts.sum(), defaultQuota: accounts.defaultQuota }),
  )

  app.get(
    '/storage/accounts',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'listStorageAccounts',
        tags,
        summary: 'List the storage use of accounts',
        description:
          'For administrators. Accounts, customers without a sign-in and guests that have stored something, those that store the most first. An account whose use changes between two pages may be on both or on neither.',
        querystring: PageQuery,
        response: { 200: StorageAccountPage },
      },
    },
    async ({ query }) => {
      const found = await accounts.list(query.limit + 1, placeOf(query.cursor))
      const shown = found.slice(0, query.limit)
      const owners = await findOwners(
        db,
        shown.map(({ ownerId }) => ownerId),
      )
      const last = found.length > query.limit ? shown.at(-1) : undefined
      return {
        // The data of an owner that was erased a moment ago is no longer there.
        data: shown.flatMap((account) => {
          const owner = owners.get(account.ownerId)
          return owner === undefined ? [] : [toStorageAccountBody(owner, account)]
        }),
        nextCursor: last === undefined ? null : cursorOf(last.place),
      }
    },
  )
}

function accountRoutes(app: App, auth: Deps): void {
  /** @throws `user_not_found` */
  const read = async (userId: string): Promise<StorageAccountBody> => {
    const owner = (await findOwners(auth.db, [userId])).get(userId)
    if (owner === undefined) throw authProblems.user_not_found()
    return toStorageAccountBody(owner, await auth.quota.accounts.find(userId))
  }

  app.get(
    '/storage/accounts/:accountId',
    {
      onRequest: requireRole('admin', 'users:read'),
      schema: {
        operationId: 'getStorageAccount',
        problems: [authProblems.user_not_found],
        tags,
        summary: 'Read the storage use of an account',
        description: 'For administrators.',
        params: AccountParams,
        response: { 200: StorageAccountBody },
      },
    },
    async ({ params }) => read(ownerIdOf(params.accountId)),
  )

  app.patch(
    '/storage/accounts/:accountId',
    {
      onRequest: requireAdminStepUp(),
      schema: {
        operationId: 'updateStorageAccount',
        problems: [authProblems.user_not_found],
        tags,
        summary: 'Set the storage quota of an account',
        description:
          'For administrators. The quota applies to the next upload or save, and also limits what the account adds within 24 hours without paying. An account that stores more than its new quota keeps what it has. The security events record it as `storage_quota_changed`.',
        params: AccountParams,
        body: QuotaChange,
        response: { 200: StorageAccountBody },
      },
    },
    async (request) => {
      const userId = ownerIdOf(request.params.accountId)
      await changeStorageQuota(auth, callerOf(auth, request), userId, request.body.storageQuota)
      return read(userId)
    },
  )
}

/** @throws `user_not_found` for a malformed id */
function ownerIdOf(accountId: string): string {
  return isId('customer', accountId) ? userIdOf(accountId) : checkedUserId(accountId)
}

const cursorOf = ({ bytes, ownerId }: UsagePlace): string => Buffer.from(`${bytes} ${ownerId}`).toString('base64url')

/** @throws `invalid_cursor` */
function placeOf(cursor: string | undefined): UsagePlace | undefined {
  if (cursor === undefined) return undefined
  const [, bytes, ownerId] =
    /^(-?\d{1,15}) ([a-z]{3,4}_[0-9a-z]{26})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (bytes === undefined || ownerId === undefined) throw invalidCursor()
  return { bytes: Number(bytes), ownerId }
}
