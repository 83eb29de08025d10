import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { answering, type Received } from '../../../test/fakes/webhook-receiver.ts'
import { newId } from '../../../test/ids.ts'
import { insertDeliveries } from '../deliveries/store.ts'
import { NOTHING_HELD, startWebhookScene, subjectsAt, untilTrue, type WebhookScene } from '../factory.ts'
import { claimDue } from './store.ts'

async function mailTo({ service }: WebhookScene, email: string): Promise<string> {
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  const mail = body.find(
    (one: { to: string; subject?: string }) => one.to === email && /disabled/.test(`${one.subject}`),
  )
  return mail?.text ?? ''
}

test('sending deliveries', async (t) => {
  const scene = await startWebhookScene(t)
  const { service, receiver, signUp, addEndpoint, write, deliveries, untilDeliveries, shift } = scene
  const { request } = service
  const { token, userId, email } = await signUp()
  const newEndpoint = async (path: string) => {
    const { body } = await request('GET', '/webhook-endpoints', { token })
    for (const { id } of body.data) await request('DELETE', `/webhook-endpoints/${id}`, { token })
    return addEndpoint(token, path)
  }

  await t.test('an event is sent signed, once, and as GET /events shows it', async () => {
    await write({ ownerId: userId })
    const endpoint = await newEndpoint('/hook')
    await addEndpoint((await signUp()).token, '/other')
    await write({ ownerId: userId, data: { id: 'x', text: 'Ünïcödé \u2028 🎈', none: null, list: [1.5, '\\"'] } })
    await receiver.until(1)
    const [message] = receiver.received
    assert.ok(message)
    const headers = message.headers as Record<string, string>
    const events = await request('GET', '/events', { token: token })
    assert.deepEqual(new Webhook(endpoint.secret).verify(message.body, headers), events.body.data[1])
    assert.throws(() => new Webhook(endpoint.secret).verify(`${message.body} `, headers))
    assert.deepEqual(
      [message.method, headers['content-type'], headers['webhook-id']],
      ['POST', 'application/json', events.body.data[1].id],
    )
    assert.match(String(headers['user-agent']), /^Platen\//)
    await untilDeliveries(token, endpoint.id, ([first]) => first?.status === 'delivered')
    assert.equal(receiver.received.length, 1, 'nothing from before the endpoint, nothing to others')
  })

  await t.test('events of one subject arrive in order despite failures; other subjects do not wait', async () => {
    const { id } = await newEndpoint('/order')
    const [held, free] = [newId('order'), newId('order')]
    receiver.behave(
      (response, { body }) => answering(JSON.parse(body).data.id === 'held 1' ? 500 : 204)(response, {} as Received),
      '/order',
    )
    await write(
      { ownerId: userId, subject: held, data: { id: 'held 1' } },
      { ownerId: userId, subject: held, data: { id: 'held 2' } },
      { ownerId: userId, subject: free, data: { id: 'free 1' } },
      { ownerId: userId, subject: held, data: { id: 'held 3' } },
      { ownerId: userId, subject: free, data: { id: 'free 2' } },
    )
    await untilDeliveries(token, id, (all) => all.filter(({ status }) => status === 'delivered').length === 2)
    assert.deepEqual(
      subjectsAt(scene, '/order').filter((one) => one.startsWith('free')),
      ['free 1', 'free 2'],
    )
    const [first] = (await deliveries(token, id)).filter(({ attempts }) =>
      attempts.some((one: { status: number }) => one.status === 500),
    )
    const after = (Date.parse(first.nextAttemptAt) - Date.parse(first.attempts[0].at)) / 1000
    assert.ok(after >= 5 && after < 7, `${after}`)
    shift(6)
    await untilDeliveries(token, id, (all) => all.some(({ attempts }) => attempts.length === 2))
    receiver.behave(answering(200), '/order')
    shift(331)
    await untilDeliveries(token, id, (all) => all.every(({ status }) => status === 'delivered'))
    assert.deepEqual(
      subjectsAt(scene, '/order').filter((one) => one.startsWith('held')),
      ['held 1', 'held 1', 'held 1', 'held 2', 'held 3'],
    )
  })

  // The test writes the next event while the worker records the outcome of the previous one. Each transaction must see
  // the row of the other.
  await t.test('an event that is written while the queue of its subject is deleted is delivered, too', async () => {
    const { id } = await newEndpoint('/moment')
    const [subject = ''] = await write({ ownerId: userId, data: { id: 'first' } })
    let answer = (): void => undefined
    receiver.behave((response) => {
      answer = () => void response.end()
    }, '/moment')
    await receiver.until(({ path }) => path === '/moment')
    const adding = await service.db.startTransaction().execute()
    const event = (await request('GET', '/events?limit=100', { token })).body.data.at(-1)
    const next = { endpointId: id, eventId: event.id, eventType: event.type, subject }
    await insertDeliveries(adding, [next], service.clock.now())
    receiver.behave(answering(200), '/moment')
    answer()
    await service.untilBlocked()
    await adding.commit().execute()
    await untilDeliveries(token, id, (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'))
  })

  await t.test('after ten attempts a delivery has failed, and its endpoint is disabled with a mail', async () => {
    const { id } = await newEndpoint('/down?key=hidden')
    receiver.behave(answering(500), '/down?key=hidden')
    await write({ ownerId: userId })
    let began: string | undefined
    for (const [index, pause] of [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].entries()) {
      shift(pause * 1.1 + 1)
      // After its failures, the endpoint is paused, so each round shifts the clock beyond the pause. Endpoints of other
      // tests may be paused, too.
      const [delivery] = await untilDeliveries(token, id, ([one]) => one?.attempts.length === index + 1)
      assert.equal(delivery?.status, index === 9 ? 'failed' : 'pending')
      const { failingSince } = (await request('GET', `/webhook-endpoints/${id}`, { token })).body
      began ??= failingSince
      assert.ok(began !== undefined && failingSince === began, `${failingSince} and not ${began}`)
    }
    const { body } = await request('GET', `/webhook-endpoints/${id}`, { token })
    assert.deepEqual([body.status, body.disabledReason], ['disabled', 'failing'])
    const mail = await mailTo(scene, email)
    assert.ok(mail.includes(id) && !mail.includes('hidden'), mail)
    for (const path of ['test', 'replay', `deliveries/${(await deliveries(token, id))[0].id}/retry`]) {
      const refused = await request('POST', `/webhook-endpoints/${id}/${path}`, {
        token,
        ...(path === 'replay' ? { body: { from: '2026-01-01T00:00:00Z' } } : {}),
      })
      assert.deepEqual([refused.status, refused.body.code], [409, 'webhook_endpoint_disabled'])
    }
  })

  await t.test('410 disables an endpoint at once; enabled again, it receives its pending deliveries', async () => {
    const { id } = await newEndpoint('/gone')
    receiver.behave(answering(410), '/gone')
    const subject = newId('order')
    await write({ ownerId: userId, subject, data: { id: 'one' } }, { ownerId: userId, subject, data: { id: 'two' } })
    await receiver.until(({ path }) => path === '/gone')
    const isOff = async () =>
      (await request('GET', `/webhook-endpoints/${id}`, { token })).body.disabledReason === 'gone'
    await untilTrue(isOff)
    assert.match(await mailTo(scene, email), /410/)
    await write({ ownerId: userId, data: { id: 'missed' } })
    receiver.behave(answering(200), '/gone')
    await request('PATCH', `/webhook-endpoints/${id}`, { token, body: { status: 'enabled' } })
    await untilDeliveries(token, id, (all) => all.some(({ status }) => status === 'delivered'))
    assert.deepEqual(subjectsAt(scene, '/gone'), ['one', 'two'])
  })

  await t.test('an owner who may no longer see an event neither receives it nor sees it in the log', async () => {
    const [oz, ada] = [await signUp('operator'), await signUp()]
    const { id } = await addEndpoint(oz.token, '/staff')
    receiver.behave(answering(500, {}, 'hers'), '/staff')
    await write({ ownerId: ada.userId, data: { id: 'hers' } })
    await untilDeliveries(oz.token, id, ([one]) => one?.attempts.length === 1)
    await service.db.updateTable('users').set({ role: 'customer' }).where('id', '=', oz.userId).execute()
    shift(6)
    const [delivery] = await untilDeliveries(oz.token, id, ([one]) => one?.status === 'failed')
    assert.deepEqual(
      [delivery.attempts.length, delivery.attempts[1].error, delivery.request.body],
      [2, 'not_permitted', undefined],
    )
    assert.equal(subjectsAt(scene, '/staff').length, 1)
    assert.doesNotMatch(JSON.stringify(delivery), /hers/, 'nor what was answered to it')
    const path = `/webhook-endpoints/${id}/deliveries/${delivery.id}/retry`
    const retried = await request('POST', path, { token: oz.token })
    assert.deepEqual([retried.status, retried.body.code], [403, 'webhook_event_not_permitted'])
  })

  await t.test('a claimed delivery that has waited is sent with the current URL and permissions', async () => {
    const [oz, ada] = [await signUp('operator'), await signUp()]
    const { id } = await addEndpoint(oz.token, '/late')
    await write({ ownerId: ada.userId }, { ownerId: ada.userId })
    const isDone = (one: { status: string }) => one.status !== 'pending'
    await untilDeliveries(oz.token, id, (all) => all.length === 2 && all.every(isDone))
    const answers: (() => void)[] = []
    receiver.behave((response) => void answers.push(() => response.end()), '/late')
    const written = await write(
      ...Array.from({ length: 30 }, (_, index) => ({ ownerId: index % 2 === 0 ? oz.userId : ada.userId })),
    )
    await untilTrue(async () => (await deliveries(oz.token, id, '?limit=100')).length === 32)
    const leases = service.db.selectFrom('webhook_queues').select('subject').where('endpoint_id', '=', id)
    const taken = leases.where('lease_token', 'is not', null)
    await untilTrue(async () => (await deliveries(oz.token, id, '?limit=100')).length === 32)
    await untilTrue(async () => answers.length > 0 && (await taken.execute()).length > answers.length + 2)
    // The test changes the database directly, as another process would. The engine of this process is not told.
    await service.db.updateTable('users').set({ role: 'customer' }).where('id', '=', oz.userId).execute()
    const url = `${receiver.url}/late/moved`
    await service.db.updateTable('webhook_endpoints').set({ url }).where('id', '=', id).execute()
    await new Promise((resolve) => setTimeout(resolve, 550))
    const before = subjectsAt(scene, '/late')
    receiver.behave(answering(200), '/late')
    for (const answer of answers) answer()
    await untilTrue(async () => (await deliveries(oz.token, id, '?limit=100')).filter(isDone).length === 32)
    assert.deepEqual(subjectsAt(scene, '/late'), before)
    const own = written.filter((_, index) => index % 2 === 0)
    assert.deepEqual(subjectsAt(scene, '/late/moved').sort(), own.filter((subject) => !before.includes(subject)).sort())
  })

  await t.test('a receiver that hangs gets one request at a time and delays no other endpoint', async () => {
    const slow = await signUp()
    await addEndpoint(slow.token, '/hang')
    const { id } = await newEndpoint('/quick')
    let hangUp = (): void => undefined
    receiver.behave((response) => {
      hangUp = () => void response.destroy()
    }, '/hang')
    await write(...Array.from({ length: 10 }, () => ({ ownerId: slow.userId })))
    await receiver.until(({ path }) => path === '/hang')
    await write(...Array.from({ length: 30 }, () => ({ ownerId: userId })))
    await untilDeliveries(token, id, (all) => all.length === 20 && all.every(({ status }) => status === 'delivered'))
    assert.equal(receiver.received.filter(({ path }) => path === '/hang').length, 1)
    receiver.behave(answering(200), '/hang')
    hangUp()
  })

  await t.test('claimed deliveries are not sent if their endpoint is disabled before', async () => {
    const { id } = await newEndpoint('/wide')
    await write({ ownerId: userId }, { ownerId: userId })
    await untilDeliveries(token, id, (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'))
    const answers: (() => void)[] = []
    receiver.behave((response) => void answers.push(() => response.end()), '/wide')
    await write(...Array.from({ length: 30 }, () => ({ ownerId: userId })))
    const leases = async () => {
      const rows = await service.db
        .selectFrom('webhook_queues')
        .select('subject')
        .where('endpoint_id', '=', id)
        .where('lease_token', 'is not', null)
        .execute()
      return rows.length
    }
    await untilTrue(async () => (await deliveries(token, id, '?limit=100')).length === 32)
    await untilTrue(async () => answers.length > 0 && (await leases()) > answers.length + 2)
    const taken = await leases()
    await request('PATCH', `/webhook-endpoints/${id}`, { token, body: { status: 'disabled' } })
    receiver.behave(answering(200), '/wide')
    for (const answer of answers) answer()
    await untilTrue(async () => (await leases()) === 0)
    const sent = subjectsAt(scene, '/wide').length
    assert.ok(sent < 2 + taken, `${sent} of ${taken}`)
    await request('PATCH', `/webhook-endpoints/${id}`, { token, body: { status: 'enabled' } })
    await untilTrue(async () => (await deliveries(token, id, '?limit=100&status=delivered')).length === 32)
    assert.equal(subjectsAt(scene, '/wide').length, 32)
  })

  await t.test('a deleted endpoint receives nothing more', async () => {
    const { id } = await newEndpoint('/deleted')
    receiver.behave(answering(500), '/deleted')
    await write({ ownerId: userId })
    await untilDeliveries(token, id, ([one]) => one?.attempts.length === 1)
    assert.equal((await request('DELETE', `/webhook-endpoints/${id}`, { token })).status, 204)
    // The test shifts the clock of the service without waking the worker.
    service.clock.shift(6)
    const now = service.clock.now()
    const places = {
      ...NOTHING_HELD,
      otherwise: { staff: 5, customers: 5, visitors: 5 },
      isStaffOnly: false,
      limit: 100,
    }
    const claims = await claimDue(service.db, {
      token: crypto.randomUUID(),
      now,
      leaseSeconds: 45,
      ...places,
      endpointIds: [id],
    })
    assert.deepEqual(claims, [])
  })

  await t.test('long bodies arrive as GET /events shows them', async () => {
    await newEndpoint('/long')
    const texts = ['é'.repeat(5_000), 'x'.repeat(8_150), 'x'.repeat(900_000)]
    await write(...texts.map((text) => ({ ownerId: userId, data: { id: `long ${text.length}`, text } })))
    for (const { length } of texts) await receiver.until(({ body }) => body.includes(`long ${length}`))
    const events = (await request('GET', '/events?limit=100', { token })).body.data
    for (const { body } of receiver.received.filter(({ path }) => path === '/long')) {
      const sent = JSON.parse(body)
      assert.deepEqual(
        sent,
        events.find(({ id }: { id: string }) => id === sent.id),
      )
    }
  })

  await t.test('failures at the old URL of an endpoint do not count against the new one', async () => {
    const { id } = await newEndpoint('/old')
    const health = () =>
      service.db.selectFrom('webhook_endpoints').select('failures').where('id', '=', id).executeTakeFirstOrThrow()
    receiver.behave(answering(500), '/old')
    await write({ ownerId: userId })
    await untilTrue(async () => (await health()).failures === 1)
    const patch = (body: object) => request('PATCH', `/webhook-endpoints/${id}`, { token, body })
    await patch({ description: 'the same address' })
    assert.equal((await health()).failures, 1)
    let answer = (): void => undefined
    receiver.behave((response, one) => {
      answer = () => answering(410)(response, one)
    }, '/old')
    const before = receiver.received.length
    await write({ ownerId: userId })
    await receiver.until(before + 1)
    await patch({ url: `${receiver.url}/new` })
    assert.equal((await health()).failures, 0)
    answer()
    await untilDeliveries(token, id, (all) => all.some(({ attempts: [one] }) => one?.status === 410))
    const { body } = await request('GET', `/webhook-endpoints/${id}`, { token })
    assert.deepEqual([body.status, (await health()).failures], ['enabled', 0])
  })
})
