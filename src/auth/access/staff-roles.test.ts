import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { until } from '../../../test/lib/until.ts'
import { startShop } from '../../orders/factory.ts'
import { insertCustomer } from '../customers/store.ts'
import { newId } from '../ids.ts'
import { listOpenSessions } from '../sessions/store.ts'
import { customerIdOf } from '../users/customer-id.ts'
import { findUser } from '../users/store.ts'

async function startWithOperator(t: TestContext) {
  const shop = await startShop(t)
  const admin = await shop.signUp('admin')
  const operator = await shop.service.signUp({ role: 'operator' })
  const patch = (body: object) => shop.request('PATCH', `/users/${operator.userId}`, { token: admin.token, body })
  const restrict = async (body: object) => assert.equal((await patch(body)).status, 200)
  return { shop, service: shop.service, operator, patch, restrict }
}

test('an operator without a staff role may do what operators could do before staff roles existed', async (t) => {
  const { shop, operator } = await startWithOperator(t)
  const { body } = await shop.request('GET', '/me', { token: operator.accessToken })
  assert.equal(body.staffRole, null)
  const before = 'orders:write payments:write production:write shipping:write webhooks:write customers:write'
  for (const permission of before.split(' ')) assert.ok(body.permissions.includes(permission), permission)
})

test('only operators have a staff role, and another role ends it', async (t) => {
  const { patch, restrict } = await startWithOperator(t)
  await restrict({ staffRole: 'packing' })
  const refused = await patch({ role: 'admin', staffRole: 'packing' })
  assert.deepEqual([refused.status, refused.body.code], [422, 'staff_role_needs_operator'])
  assert.equal((await patch({ disabled: false })).body.staffRole, 'packing')
  assert.equal((await patch({ role: 'customer' })).body.staffRole, null)
  assert.equal((await patch({ role: 'operator' })).body.staffRole, null)
  assert.equal((await patch({ staffRole: 'unknown' })).status, 400)
})

test('an order offers an operator only the actions of the staff role', async (t) => {
  const { shop, operator, restrict } = await startWithOperator(t)
  const { order } = await shop.order()
  const offered = async () => {
    const { body } = await shop.request('GET', `/orders/${order.id}`, { token: operator.accessToken })
    return body.availableActions.map(({ action }: { action: string }) => action).join(' ')
  }
  await restrict({ staffRole: 'packing' })
  assert.equal(await offered(), 'ship deliver return')
  await restrict({ staffRole: 'accounting' })
  assert.equal(await offered(), 'record_payment refund')
  await restrict({ staffRole: 'prepress' })
  assert.equal(await offered(), 'hold release start_production retry_files')
  await restrict({ staffRole: 'read_only' })
  assert.equal(await offered(), '')
})

// A process of the previous release issues tokens that name no staff role, also to restricted operators.
test('AK-4: an access token without a staff role is checked against the database', async (t) => {
  const { service, operator, restrict } = await startWithOperator(t)
  await restrict({ staffRole: 'packing' })
  const { tokens, clock, revocations } = service.services.auth.services
  // Later than the invalidation of the change, so that only the missing claim makes the service read the role.
  service.clock.shift(3_600)
  const [session] = await listOpenSessions(service.db, operator.userId, { limit: 1 }, undefined, clock.now())
  const user = await findUser(service.db, operator.userId)
  assert.ok(session !== undefined && user !== undefined)
  const unnamed = { ...user, staffRole: undefined as unknown as null }
  const { accessToken: token } = await tokens.issue(session, unnamed)
  // Without a working subscription, the service would check every token.
  await until('the subscription to revocations', () => revocations.isTrusted())
  assert.equal((await service.request('POST', '/orders/unknown/cancel', { token })).status, 403)
})

test('AK-4: a customer token loses at once what its issuer may no longer do', async (t) => {
  const { service, operator, restrict } = await startWithOperator(t)
  const userId = newId('user')
  const content = { externalId: 'shop-1', email: null, name: null, locale: null, metadata: null }
  await service.db
    .transaction()
    .execute((trx) => insertCustomer(trx, { userId, kind: 'customer', ...content }, service.clock.now()))
  const path = `/customers/${customerIdOf(userId)}/tokens`
  const { body } = await service.request('POST', path, { token: operator.accessToken, body: {} })
  const read = async () => (await service.request('GET', '/designs', { token: body.token })).status
  assert.equal(await read(), 200)
  await restrict({ staffRole: 'read_only' })
  assert.equal(await read(), 401)
})
