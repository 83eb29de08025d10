import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { untilEventsVisible } from '../../test/harness.ts'
import { replayEvents, retryDelivery } from './deliveries/request-deliveries.ts'
import { findDelivery, listDeliveries } from './deliveries/store.ts'
import { NOTHING_HELD, startWebhookScene } from './factory.ts'
import { createFanOut } from './fan-out/fan-out.ts'
import { type Claim, claimDue, readClaimsAgain } from './worker/store.ts'

const TYPES = ['design.finalized', 'order.created']

/** Starts a service in which an operator has an endpoint. Tests call the parts of the engine themselves. */
async function startScene(t: TestContext) {
  const { service, signUp, addEndpoint, write } = await startWebhookScene(t, { isStill: true })
  const [{ userId: ownerId, token }, ada] = [await signUp('operator'), await signUp()]
  const { id: endpointId } = await addEndpoint(token)
  const deps = service.services.webhooks
  const { db, clock } = service
  const fanOut = createFanOut(deps)
  return {
    ...{ service, deps, db, key: { id: endpointId, ownerId } },
    restrict: (staffRole: string) => sql`update users set staff_role = ${staffRole} where id = ${ownerId}`.execute(db),
    writeBoth: async () => {
      await write(...TYPES.map((type) => ({ ownerId: ada.userId, type })))
      await untilEventsVisible(db)
    },
    fanOut,
    deliveredTypes: async () => {
      const rows = await db.selectFrom('webhook_deliveries').select('event_type').orderBy('event_type').execute()
      return rows.map((row) => row.event_type)
    },
    claim: (): Promise<Claim[]> =>
      claimDue(db, {
        ...{ token: crypto.randomUUID(), now: clock.now(), leaseSeconds: 45, endpointIds: undefined, limit: 100 },
        ...{ ...NOTHING_HELD, otherwise: { staff: 9, customers: 9, visitors: 9 }, isStaffOnly: false },
        hiddenEvents: deps.hiddenEvents,
      }),
  }
}

const forbidden = (claims: readonly Claim[]): boolean[] => claims.map(({ isForbidden }) => isForbidden).sort()

test('staff who may not read designs get no deliveries of their events', async (t) => {
  const { restrict, writeBoth, fanOut, deliveredTypes, db } = await startScene(t)
  const expected: [string, string[]][] = [
    ['packing', ['order.created']],
    ['accounting', ['order.created']],
    ['prepress', TYPES],
    ['read_only', TYPES],
    ['a role of a newer release', []],
  ]
  for (const [staffRole, types] of expected) {
    await sql`delete from webhook_deliveries`.execute(db)
    await restrict(staffRole)
    await writeBoth()
    await fanOut.addNew()
    assert.deepEqual(await deliveredTypes(), types, staffRole)
  }
})

test('staff who may not read designs get no deliveries of older events that wait for room', async (t) => {
  const { restrict, writeBoth, fanOut, deliveredTypes, db } = await startScene(t)
  await sql`update webhook_endpoints set behind_transaction_id = since_transaction_id,
    behind_position = since_position`.execute(db)
  await writeBoth()
  await fanOut.addNew()
  assert.deepEqual(await deliveredTypes(), [])
  await restrict('packing')
  await fanOut.catchUp()
  assert.deepEqual(await deliveredTypes(), ['order.created'])
})

test('a restriction ends deliveries that were created before it', async (t) => {
  const { restrict, writeBoth, fanOut, claim, db, deps } = await startScene(t)
  await writeBoth()
  await fanOut.addNew()
  const before = await claim()
  assert.deepEqual(forbidden(before), [false, false])
  await restrict('packing')
  assert.deepEqual(forbidden(await readClaimsAgain(db, before, deps.hiddenEvents)), [false, true])
  await sql`update webhook_queues set lease_token = null, due_at = now() - interval '1 hour'`.execute(db)
  assert.deepEqual(forbidden(await claim()), [false, true])
})

test('a restriction hides events in the list of deliveries, from retries and from replays', async (t) => {
  const { restrict, writeBoth, fanOut, db, deps, key, service } = await startScene(t)
  const { hiddenEvents } = deps
  const from = service.clock.now().toISOString()
  await writeBoth()
  await fanOut.addNew()
  const staff = { userId: key.ownerId, role: 'operator' } as const
  const replay = () => db.transaction().execute((trx) => replayEvents(trx, deps, staff, key.id, { from }))
  assert.equal(await replay(), 2)
  await restrict('accounting')
  assert.equal(await replay(), 1)
  const listing = { endpointId: key.id, status: undefined, after: undefined, limit: 10, hiddenEvents }
  const { rows } = await listDeliveries(db, listing)
  const shown = (type: string) => rows.filter(({ eventType }) => eventType === type).map(({ isShown }) => isShown)
  assert.deepEqual(
    [shown('design.finalized'), shown('order.created')],
    [
      [false, false],
      [true, true, true],
    ],
  )
  const { id } = rows.find(({ eventType }) => eventType === 'design.finalized') ?? assert.fail()
  assert.equal((await findDelivery(db, { id, endpointId: key.id }, hiddenEvents))?.body, undefined)
  const retried = db.transaction().execute((trx) => retryDelivery(trx, deps, key, id))
  await assert.rejects(retried, { code: 'webhook_event_not_permitted' })
})
