import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { answering } from '../../../test/fakes/webhook-receiver.ts'
import { untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { startWebhookScene, subjectsAt, untilTrue, type WebhookScene } from '../factory.ts'
import { createFanOut } from '../fan-out/fan-out.ts'
import { recordResults } from './record-results.ts'
import { type Claim, claimDue, type PlacesOfOthers } from './store.ts'

test('several processes send each event once and in order, and take over the leases of killed ones', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, receiver, signUp, addEndpoint, write, deliveries, untilDeliveries, shift } = scene
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
  await untilDeliveries(token, id, (all) => all.every(({ status }) => status === 'delivered'))

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
    const any = { places: new Map<string, number>(), endpointIds: undefined, isStaffOnly: false, limit: 100 }
    return (await claimDue(service.db, { ...lease, ...any, otherwise })).map(({ endpointId }) => endpointId)
  }
  assert.deepEqual(await claimed({ staff: 1, customers: 0 }), [ofStaff])
  assert.deepEqual(await claimed({ staff: 1, customers: 1 }), [ofCustomer])
})

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
    places: new Map<string, number>(),
    otherwise: { staff: 1, customers: 1 },
    endpointIds: undefined,
    isStaffOnly: false,
    limit: 100,
  }
  const claims = await claimDue(service.db, { ...lease, ...places })
  return claims[0] ?? assert.fail()
}
