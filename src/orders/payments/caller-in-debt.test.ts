import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDatabase } from '../../../test/harness.ts'
import { currentRequest } from '../../platform/concurrency/request-context.ts'
import { createTransferBudgets, openDatabase, transferRates } from '../../platform/db/index.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { startShop } from '../factory.ts'

const MIB = 1024 * 1024

// Otherwise the response would be 429 although money has moved, and a job would confirm the order minutes later.
test('a payment that was captured confirms the order at once, although its caller may move no more bytes', async (t) => {
  // Time stands still, so that a debt is never worked off.
  const budgets = createTransferBudgets(transferRates(MIB), () => 0)
  const settings = await createDatabase(t)
  const database = openDatabase(
    { ...settings, max: 28, budgets, connectionTimeoutMillis: 1_000 },
    createLog({ level: 'silent' }),
  )
  t.after(database.close)
  const shop = await startShop(t, undefined, { database: settings, overrides: { database } })
  const { provider } = shop.deps
  assert.ok(provider)
  const capture: typeof provider.capture = async (charge) => {
    const captured = await provider.capture(charge)
    const request = currentRequest()
    assert.ok(request)
    budgets.payerOf(request)?.charge(100 * MIB)
    return captured
  }
  shop.deps.provider = { ...provider, capture }
  const { order, token } = await shop.order()
  const pay = () => shop.request('POST', `/orders/${order.id}/pay`, { token, body: { token: 'test_ok' } })
  const { status, body } = await pay()
  assert.deepEqual([status, body.status, body.payment?.status], [200, 'confirmed', 'captured'])
  assert.equal((await pay()).status, 429)
})
