import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { answering } from '../../../test/fakes/webhook-receiver.ts'
import { untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { networkOfShare } from '../../platform/fair-share.ts'
import { moveInNetwork } from '../../platform/newcomers.fixture.ts'
import { findShare, forgetNewcomer } from '../../platform/newcomers.ts'
import { NOTHING_HELD, startWebhookScene, subjectsAt, untilTrue, type WebhookScene } from '../factory.ts'
import { createFanOut } from '../fan-out/fan-out.ts'
import { createDeliveryWorker } from './delivery-worker.ts'
import { createLanes } from './lanes.ts'
import { recordResults } from './record-results.ts'
import { type Claim, type Claiming, claimDue, type PlacesOfOthers } from './store.ts'

test('several processes send each event once and in order, and take over the leases of killed ones', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, receiver, signUp, addEndpoint, write, deliveries, shift } = scene
  const { token, userId } = await signUp()
  const { id } = await addEndpoint(token, '/shared')
  const subjects = Array.from({ length: 5 }, () => newId('order'))
  const events = Array.from({ length: 40 }, (_, index) => ({
    ownerId: userId,
    subject: subjects[index % 5] ?? '',
    data: { id: `${index % 5} ${String(index).padStart(2, '0')}` },
  }))
  const left = await takeAndDie(scene, id)
  const [first, second] = [scene.start(), scene.start()]
  await write(...events)
  const { rows } = await untilDone()
  assert.equal(rows, 40)
  const received = subjectsAt(scene, '/shared').filter((one) => one !== 'left')
  assert.equal(new Set(received).size, received.length)
  for (const lane of [0, 1, 2, 3, 4]) {
    const own = received.filter((one) => one.startsWith(`${lane} `))
    assert.deepEqual(own, own.toSorted())
  }
  assert.ok(!subjectsAt(scene, '/shared').includes('left'), 'it is believed to be under way')
  shift(600)
  assert.ok(!subjectsAt(scene, '/shared').includes('left'), 'whatever the time is here')
  // The lease expires by the clock of the database.
  await sql`update webhook_queues set due_at = now() where lease_token = ${left.token}::uuid`.execute(service.db)
  await receiver.until(({ body }) => body.includes('left'))
  // The delivery that was left is the oldest one, and not on the first page of the log.
  await untilTrue(async () => (await deliveries(token, id, '?status=delivered&limit=100')).length === 41)

  const delivered = await deliveries(token, id, '?status=delivered&limit=100')
  const late = { at: '2026-01-01T00:00:00.000Z', durationMs: 1, url: 'http://a.test/', status: 500 }
  await recordResults(service.services.webhooks, [{ claim: left, attempt: late, isSent: true, isFinal: false }])
  assert.deepEqual(await deliveries(token, id, '?status=delivered&limit=100'), delivered, 'what it says comes too late')

  const answers: (() => void)[] = []
  const before = receiver.received.length
  receiver.behave((response) => void answers.push(() => response.end()), '/shared')
  await write(...Array.from({ length: 30 }, () => ({ ownerId: userId })))
  const leases = async () => {
    const rows = await service.db.selectFrom('webhook_queues').select('lease_token').execute()
    return rows.filter(({ lease_token }) => lease_token !== null).length
  }
  await untilTrue(async () => answers.length > 0 && (await leases()) > answers.length)
  const stopped = Promise.all([first.stop(), second.stop()])
  receiver.behave(answering(200), '/shared')
  for (const answer of answers) answer()
  await stopped
  assert.equal(await leases(), 0, 'claims without a request are returned')
  const ended = await deliveries(token, id, '?status=delivered&limit=100')
  const sent = receiver.received.length - before
  assert.equal(ended.length, delivered.length + sent, 'what was under way has ended, and was noted')

  async function untilDone(): Promise<{ rows: number }> {
    let rows = 0
    await untilTrue(async () => {
      const found = await service.db
        .selectFrom('webhook_deliveries')
        .select('id')
        .where('status', '=', 'delivered')
        .execute()
      rows = found.length
      return rows >= 40
    })
    return { rows }
  }
})

test('while the places of customers are taken, deliveries to endpoints of staff are still claimed', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, signUp, addEndpoint, write } = scene
  const [customer, operator] = [await signUp(), await signUp('operator')]
  const { id: ofCustomer } = await addEndpoint(customer.token)
  const { id: ofStaff } = await addEndpoint(operator.token)
  await write({ ownerId: customer.userId })
  await untilEventsVisible(service.db)
  await createFanOut(service.services.webhooks).addNew()
  const claimed = async (otherwise: PlacesOfOthers): Promise<string[]> => {
    const lease = { token: crypto.randomUUID(), now: service.clock.now(), leaseSeconds: 45 }
    const any = { ...NOTHING_HELD, endpointIds: undefined, isStaffOnly: false, limit: 100 }
    return (await claimDue(service.db, { ...lease, ...any, otherwise })).map(({ endpointId }) => endpointId)
  }
  assert.deepEqual(await claimed({ staff: 1, customers: 0, visitors: 0 }), [ofStaff])
  assert.deepEqual(await claimed({ staff: 1, customers: 1, visitors: 1 }), [ofCustomer])
})

test('a worker without places for customers looks for deliveries to endpoints of staff', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, signUp, addEndpoint, write, untilDeliveries } = scene
  const [customer, operator] = [await signUp(), await signUp('operator')]
  const { id: ofCustomer } = await addEndpoint(customer.token, '/silent')
  const { id: ofStaff } = await addEndpoint(operator.token)
  await write({ ownerId: customer.userId })
  await untilEventsVisible(service.db)
  await createFanOut(service.services.webhooks).addNew()
  const [claim = assert.fail()] = await claimDue(service.db, {
    ...{ token: crypto.randomUUID(), now: service.clock.now(), leaseSeconds: 45, ...NOTHING_HELD },
    ...{ otherwise: { staff: 1, customers: 1, visitors: 1 }, endpointIds: [ofCustomer], isStaffOnly: false, limit: 1 },
  })
  const lanes = createLanes()
  // One account can use only a few places, so each of these endpoints has an owner of its own.
  for (let n = 0; lanes.places().otherwise.customers > 0; n += 1) {
    lanes.add([{ ...claim, endpointId: `silent ${n}`, share: `share ${n}` }])
    lanes.next()
  }
  const worker = createDeliveryWorker(service.services.webhooks, () => undefined, lanes)
  worker.poll([ofStaff])
  await untilDeliveries(operator.token, ofStaff, ([one]) => one?.status === 'delivered')
  await worker.stop()
})

test('a share with fewer claims comes first, then the oldest delivery, whatever the order of the table', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const people = [await scene.signUp(), await scene.signUp(), await scene.signUp()]
  const [busy, late, early = ''] = await endpointsWithEvents(scene, people)
  await scene.service.db
    .updateTable('webhook_queues')
    .set({ due_at: new Date(0) })
    .where('endpoint_id', '=', early)
    .execute()
  const claimed: string[] = []
  for (let turn = 0; turn < 3; turn += 1) {
    const [claim] = await claimAny(scene, { held: new Map([[people[0]?.userId ?? '', 5]]), limit: 1 })
    claimed.push(claim?.endpointId ?? '')
  }
  assert.deepEqual(claimed, [early, late, busy])
})

// A client may register any number of accounts.
test('the new accounts of one network have together the claims of one account, until their first order is in production', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { db, register } = scene.service
  const newcomers = []
  for (let n = 0; n < 4; n += 1) newcomers.push(await register())
  const people = newcomers.map(({ accessToken, userId }) => ({ token: accessToken, userId }))
  const [first, , , last] = await endpointsWithEvents(scene, people)
  await moveInNetwork(db, people[1]?.userId ?? '')
  const share = networkOfShare(await findShare(db, people[0]?.userId ?? ''))
  const none = { otherwise: { staff: 1, customers: 1, visitors: 0 } }
  assert.deepEqual(await claimAny(scene, none), [])
  const claims = await claimAny(scene, { held: new Map([[share, 1]]), mostOfNetwork: { known: 128, otherwise: 2 } })
  assert.deepEqual(
    claims.map((claim) => [claim.endpointId, claim.share]),
    [[first, share]],
  )
  const { userId = '' } = people[3] ?? {}
  await db.transaction().execute((trx) => forgetNewcomer(trx, userId))
  const paid = await claimAny(scene, { ...none, mostOfNetwork: { known: 0, otherwise: 0 } })
  assert.deepEqual(
    paid.map((claim) => [claim.endpointId, claim.share]),
    [[last, userId]],
  )
})

/** Adds an endpoint for each person, with a delivery that is due. Returns the ids of the endpoints. */
async function endpointsWithEvents(scene: WebhookScene, people: readonly { token: string; userId: string }[]) {
  const ids: string[] = []
  for (const { token } of people) ids.push((await scene.addEndpoint(token)).id)
  for (const { userId } of people) await scene.write({ ownerId: userId })
  await untilEventsVisible(scene.service.db)
  await createFanOut(scene.service.services.webhooks).addNew()
  return ids
}

test('at an endpoint of staff, an account with many events delays those of another by one subject', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, signUp, addEndpoint, write } = scene
  const { db, services } = service
  const [ada, bob, oz] = [await signUp(), await signUp(), await signUp('operator')]
  const { id } = await addEndpoint(oz.token)
  const fanOut = createFanOut(services.webhooks)
  const tell = async (...events: Parameters<typeof write>): Promise<string[]> => {
    const subjects = await write(...events)
    await untilEventsVisible(db)
    await fanOut.addNew()
    return subjects
  }
  const many = await tell(...Array.from({ length: 20 }, () => ({ ownerId: ada.userId })))
  const [first, second] = await tell({ ownerId: bob.userId }, { ownerId: bob.userId })
  const later = await tell({ ownerId: ada.userId })
  const { rows } = await sql<{ subject: string }>`
    select subject from webhook_queues where endpoint_id = ${id} order by turn, due_at, subject`.execute(db)
  assert.deepEqual(
    rows.map(({ subject }) => subject),
    [many[0], first, many[1], second, ...many.slice(2), ...later],
  )
  const claims = await claimAny(scene, { otherwise: { staff: 4, customers: 0, visitors: 0 } })
  assert.deepEqual(claims.map(({ subject }) => subject).sort(), [many[0], first, many[1], second].sort())
})

function claimAny({ service }: WebhookScene, claiming: Partial<Claiming>): Promise<Claim[]> {
  return claimDue(service.db, {
    ...{ token: crypto.randomUUID(), now: service.clock.now(), leaseSeconds: 45, ...NOTHING_HELD },
    ...{ otherwise: { staff: 1, customers: 1, visitors: 1 }, endpointIds: undefined, isStaffOnly: false, limit: 100 },
    ...claiming,
  })
}

/** Claims a delivery and leaves its lease behind, as a process does that is killed at this point. */
async function takeAndDie({ service, write }: WebhookScene, endpointId: string): Promise<Claim> {
  const owner = await service.db
    .selectFrom('webhook_endpoints')
    .select('owner_id')
    .where('id', '=', endpointId)
    .executeTakeFirstOrThrow()
  await write({ ownerId: owner.owner_id, data: { id: 'left' } })
  await untilEventsVisible(service.db)
  await createFanOut(service.services.webhooks).addNew()
  const now = service.clock.now()
  const lease = { token: crypto.randomUUID(), now, leaseSeconds: 45 }
  const places = {
    ...NOTHING_HELD,
    otherwise: { staff: 1, customers: 1, visitors: 1 },
    endpointIds: undefined,
    isStaffOnly: false,
    limit: 100,
  }
  const claims = await claimDue(service.db, { ...lease, ...places })
  return claims[0] ?? assert.fail()
}
