import type { Trx } from '../../platform/db/index.ts'
import { retryOnConflict } from '../../platform/db/locking/retry-on-conflict.ts'
import type { Replica } from '../../platform/db/reading/replica.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../../platform/http/responses/location.ts'
import { readCursor, toPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { isSession } from '../access/session-principal.ts'
import type { DeleteAccountDeps } from '../accounts/personal-data/delete-account.ts'
import { moveMoreOrLeaveToJob } from '../accounts/personal-data/move-rest.ts'
import { administratorOf } from '../http/caller-of.ts'
import type { CookieSettings } from '../http/cookies.ts'
import { requireRecentSignIn, requireRole } from '../http/guards.ts'
import { isId } from '../ids.ts'
import { authProblems, customerProblems, impersonationProblems } from '../problems.ts'
import { userIdOf } from '../users/customer-id.ts'
import { normalizeEmailAddress } from '../users/email-address.ts'
import { deleteCustomer } from './delete-customer.ts'
import { type IssueDeps, issueToken } from './issue-token.ts'
import { changeCustomer, createCustomer, recordAct, required } from './manage-customers.ts'
import { type MergeDeps, mergeCustomers } from './merge-customers.ts'
import {
  CustomerBody,
  CustomerChanges,
  CustomerListQuery,
  CustomerPage,
  CustomerParams,
  CustomerTokenBody,
  MergeBody,
  NewCustomerBody,
  NoContent,
  TokenRequest,
  toCustomerBody,
} from './schemas.ts'
import { findCustomer, listCustomers } from './store.ts'

type RouteDeps = MergeDeps & IssueDeps & DeleteAccountDeps & CookieSettings & { replica: Replica }

const tags = ['Customers']

export function customerRoutes(app: App, auth: RouteDeps): void {
  readRoutes(app, auth)
  writeRoutes(app, auth)
  mergeRoute(app, auth)
  tokenRoute(app, auth)
}

function readRoutes(app: App, { db, replica }: RouteDeps): void {
  app.get(
    '/customers',
    {
      onRequest: requireRole('operator', 'customers:read'),
      schema: {
        operationId: 'listCustomers',
        tags,
        summary: 'List customers',
        description: 'For operators and administrators. Newest first, with customers who have an account and guests.',
        querystring: CustomerListQuery,
        response: { 200: CustomerPage },
      },
    },
    async ({ query }) => {
      const { externalId, email, q: words } = query
      const normal = email === undefined ? undefined : (normalizeEmailAddress(email) ?? '')
      const cursor = readCursor(query)
      const after = cursor === undefined ? undefined : userIdOf(cursor)
      const filter = { externalId, email: normal, words }
      const customers = await replica.read((from) => listCustomers(from, filter, query, after))
      return toPage(customers.map(toCustomerBody), query, (body) => body)
    },
  )

  app.get(
    '/customers/:customerId',
    {
      onRequest: requireRole('operator', 'customers:read'),
      schema: {
        operationId: 'getCustomer',
        tags,
        summary: 'Read a customer',
        description: 'For operators and administrators.',
        params: CustomerParams,
        response: { 200: CustomerBody },
      },
    },
    async ({ params }) => toCustomerBody(required(await findCustomer(db, checkedId(params.customerId)))),
  )
}

function writeRoutes(app: App, auth: RouteDeps): void {
  app.post(
    '/customers',
    {
      onRequest: requireRole('operator', 'customers:write'),
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createCustomer',
        problems: [customerProblems.customer_exists],
        tags,
        summary: 'Create a customer without an account',
        description:
          'For customers who sign in to your own shop. `externalId` is their id there, and unique (409 `customer_exists` with `customerId`). An email address gives no access to what an account with the same address owns.',
        body: NewCustomerBody,
        response: { 201: CustomerBody },
      },
    },
    async (request, reply) =>
      idempotently(auth, request, reply, async (trx) => {
        const body = toCustomerBody(await createCustomer(trx, auth, administratorOf(auth, request), request.body))
        return { status: 201, body, headers: locationOfNew(request, body) }
      }),
  )

  app.patch(
    '/customers/:customerId',
    {
      onRequest: requireRole('operator', 'customers:write'),
      schema: {
        operationId: 'updateCustomer',
        problems: [customerProblems.customer_exists, customerProblems.customer_has_account],
        tags,
        summary: 'Change a customer',
        description:
          'The email address of a customer with an account belongs to its owner (409 `customer_has_account`).',
        params: CustomerParams,
        body: CustomerChanges,
        response: { 200: CustomerBody },
      },
    },
    async (request) => {
      const userId = checkedId(request.params.customerId)
      const operator = administratorOf(auth, request)
      const change = (trx: Trx) => changeCustomer(trx, auth, operator, userId, request.body)
      return toCustomerBody(await auth.db.transaction().execute(change))
    },
  )

  app.delete(
    '/customers/:customerId',
    {
      onRequest: requireRole('operator', 'customers:write'),
      schema: {
        operationId: 'deleteCustomer',
        problems: [customerProblems.customer_has_account, authProblems.step_up_required],
        tags,
        summary: 'Delete a customer',
        description:
          'Erases the personal data as `DELETE /me` does; open orders keep theirs until they end. A session needs a step-up, an API key does not. An account can be deleted only by its owner or by an administrator in a session (409 `customer_has_account`).',
        params: CustomerParams,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      if (isSession(principal)) requireRecentSignIn(principal)
      const mayDeleteAccounts = isSession(principal) && principal.role === 'admin'
      const userId = checkedId(request.params.customerId)
      await deleteCustomer(auth, administratorOf(auth, request), userId, { mayDeleteAccounts })
      return reply.code(204).send(null)
    },
  )
}

function mergeRoute(app: App, auth: RouteDeps): void {
  app.post(
    '/customers/:customerId/merge',
    {
      onRequest: requireRole('operator', 'customers:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'mergeCustomer',
        problems: [customerProblems.merge_into_itself, customerProblems.customer_has_account],
        tags,
        summary: 'Merge a customer into another one',
        description:
          'Moves designs, assets, fonts, quotes and orders to the customer `into`, which is returned. If there are many, the oldest designs and orders follow within minutes. The merged customer no longer exists, and its tokens end. Neither of them may have an account: guests move their work with `POST /api/auth/guest/claim`.',
        params: CustomerParams,
        body: MergeBody,
        response: { 200: CustomerBody },
      },
    },
    async (request, reply) => {
      const [from, into] = [checkedId(request.params.customerId), checkedId(request.body.into)]
      const merge = async (trx: Trx) => {
        const target = await mergeCustomers(trx, auth, administratorOf(auth, request), { from, into })
        return { status: 200, body: toCustomerBody(target) }
      }
      const merged = await retryOnConflict(() => idempotently(auth, request, reply, merge))
      await moveMoreOrLeaveToJob(auth, from)
      return merged
    },
  )
}

function tokenRoute(app: App, auth: RouteDeps): void {
  app.post(
    '/customers/:customerId/tokens',
    {
      onRequest: requireRole('operator', 'customers:write'),
      config: { honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'createCustomerToken',
        problems: [impersonationProblems.customer_has_account],
        tags,
        summary: 'Issue a token that acts as a customer',
        description:
          'For the browser of a customer without an account. The token has the given permissions, is valid for up to 15 minutes and ends within a second with the API key or session that issued it, with the role of its owner, or with the customer. It never works for accounts, API keys and customers.',
        params: CustomerParams,
        body: TokenRequest,
        response: { 201: CustomerTokenBody },
      },
    },
    async (request, reply) => {
      const userId = checkedId(request.params.customerId)
      const { token, expiresIn, permissions } = await issueToken(auth, principalOf(request), userId, request.body ?? {})
      const details = { customer: request.params.customerId, permissions: permissions.join(' ') }
      return idempotently(auth, request, reply, async (trx) => {
        const event = { type: 'customer_token_issued', userId, details } as const
        await recordAct(trx, auth, administratorOf(auth, request), event)
        return { status: 201, body: { token, tokenType: 'Bearer' as const, expiresIn }, secrets: ['token' as const] }
      })
    },
  )
}

const ID_IN_PATH =
  'Paths take the id of a customer (`cus_...`). `GET /customers?externalId=...` finds the id for an id of your own.'

function checkedId(id: string): string {
  if (!isId('customer', id)) throw customerProblems.customer_not_found({ detail: ID_IN_PATH })
  return userIdOf(id)
}
