import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { untilEventsVisible } from '../../../test/harness.ts'
import { answering, type Received } from '../../../test/stand-ins/webhook-receiver.ts'
import { newId } from '../../platform/ids.ts'
import { insertDeliveries } from '../deliveries/store.ts'
import { createDispatcher } from '../dispatching/dispatch-events.ts'
import { startWebhookScene, type WebhookScene } from '../factory.ts'
import { claimDue } from './store.ts'

const subjectsAt = ({ receiver }: WebhookScene, path: string): string[] =>
  receiver.received.filter((one) => one.path === path).map(({ body }) => JSON.parse(body).data.id)

async function mailTo({ service }: WebhookScene, email: string): Promise<string> {
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  const mail = body.find(
    (one: { to: string; subject?: string }) => one.to === email && /disabled/.test(`${one.subject}`),
  )
  return mail?.text ?? ''
}

test('delivering webhooks', async (t) => {
  const scene = await startWebhookScene(t)
  const { service, receiver, signUp, addEndpoint, write, deliveries, untilDeliveries, shift } = scene
  const { request } = service
  const { token, userId, email } = await signUp()
  /** The only endpoint of this person. */
  const newEndpoint = async (path: string) => {
    const { body } = await request('GET', '/webhook-endpoints', { token })
    for (const { id } of body.data) await request('DELETE', `/webhook-endpoints/${id}`, { token })
    return addEndpoint(token, path)
  }

  await t.test('an event arrives signed, once, and as GET /events shows it', async () => {
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

  await t.test('what is about one subject arrives in order, over failures; other subjects go on', async () => {
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

  // The successor is written while the end of the one before is being noted: each must see the other.
  await t.test('an event that comes in the moment its subject is done with is delivered, too', async () => {
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
    for (const [index, pause] of [0, 5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400].entries()) {
      shift(pause * 1.1 + 1)
      // Others may have to be paused for a minute, this one is asked less often after some failures.
      const [delivery] = await untilDeliveries(token, id, ([one]) => one?.attempts.length === index + 1)
      assert.equal(delivery?.status, index === 9 ? 'failed' : 'pending')
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

  await t.test('410 disables an endpoint at once; enabled again, it receives what was left over', async () => {
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

  await t.test('redirects are failures; what a busy receiver asks for is kept; the log holds no secrets', async () => {
    const path = '/answers?key=hidden'
    const { id } = await newEndpoint(path)
    const headers = {
      location: `${receiver.url}/elsewhere`,
      'set-cookie': 'hidden=1',
      authorization: 'hidden',
      'x-seen': 'shown',
    }
    receiver.behave(
      (response, one) => answering(302, headers, `<b>${one.headers['webhook-signature']}</b>`)(response, one),
      path,
    )
    await write({ ownerId: userId })
    const isTried = ([one]: { attempts?: unknown[] }[]) => one?.attempts?.length === 1
    const [delivery] = await untilDeliveries(token, id, isTried)
    const [attempt] = delivery.attempts
    assert.deepEqual([delivery.status, attempt.status, attempt.responseBody], ['pending', 302, '<b>***</b>'])
    assert.equal(attempt.responseHeaders['x-seen'], 'shown')
    assert.equal(delivery.request.headers['webhook-signature'], 'v1,***')
    assert.equal(delivery.request.body, receiver.received.at(-1)?.body)
    assert.ok(!JSON.stringify(delivery).includes('hidden'))
    assert.equal(receiver.received.filter((one) => one.path === '/elsewhere').length, 0)
    const one = (await request('GET', `/webhook-endpoints/${id}/deliveries/${delivery.id}`, { token })).body
    assert.deepEqual(one, delivery)
    receiver.behave(answering(429, { 'retry-after': '3600' }), path)
    shift(6)
    const [later] = await untilDeliveries(token, id, ([one]) => one?.attempts.length === 2)
    assert.ok(Date.parse(later.nextAttemptAt) - Date.parse(later.attempts[1].at) >= 3_600_000)
    assert.ok(!service.logLines().includes('hidden'))
  })

  await t.test('deliveries are listed newest first, by page and status, and can be asked for again', async () => {
    const { id } = await newEndpoint('/again')
    const path = `/webhook-endpoints/${id}`
    await write({ ownerId: userId }, { ownerId: userId }, { ownerId: userId })
    const all = await untilDeliveries(
      token,
      id,
      (found) => found.length === 3 && found.every(({ status }) => status === 'delivered'),
    )
    const page = (await request('GET', `${path}/deliveries?limit=2`, { token })).body
    const next = (await request('GET', `${path}/deliveries?limit=2&cursor=${page.nextCursor}`, { token })).body
    assert.deepEqual([...page.data, ...next.data], all)
    assert.equal(next.nextCursor, null)
    assert.deepEqual(await deliveries(token, id, '?status=failed'), [])
    assert.equal((await deliveries(token, id, '?status=delivered')).length, 3)
    assert.equal((await request('GET', `${path}/deliveries?status=lost`, { token })).status, 400)

    const retried = await request('POST', `${path}/deliveries/${all[2].id}/retry`, { token })
    assert.deepEqual([retried.status, retried.body.id, retried.body.status], [202, all[2].id, 'pending'])
    await untilDeliveries(token, id, (found) => found[2].attempts.length === 2 && found[2].status === 'delivered')
    const ids = receiver.received.filter((one) => one.path === '/again').map(({ headers }) => headers['webhook-id'])
    assert.deepEqual(ids.slice(3), [all[2].eventId], 'the same id, so that receivers can tell')

    const { createdAt: from } = JSON.parse(all[2].request.body)
    const replay = (body: object) => request('POST', `${path}/replay`, { token, body })
    assert.deepEqual(
      [
        (await replay({ from })).status,
        (await replay({ from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' })).body,
      ],
      [202, { count: 0 }],
    )
    await untilDeliveries(
      token,
      id,
      (found) => found.length === 6 && found.every(({ status }) => status === 'delivered'),
    )
    assert.deepEqual(
      (await replay({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' })).body.errors[0].pointer,
      '/to',
    )
    assert.equal((await replay({})).status, 400)
    const unknown = await request('POST', `${path}/deliveries/${newId('delivery')}/retry`, { token })
    assert.deepEqual([unknown.status, unknown.body.code], [404, 'webhook_delivery_not_found'])
  })

  await t.test('a test event goes to one endpoint, once, and is in no list of events', async () => {
    const { id, secret } = await newEndpoint('/test?key=hidden')
    receiver.behave(answering(500), '/test?key=hidden')
    const answer = await request('POST', `/webhook-endpoints/${id}/test`, { token })
    assert.deepEqual([answer.status, answer.body.eventType], [202, 'webhook.test'])
    const [delivery] = await untilDeliveries(token, id, ([one]) => one?.status === 'failed')
    assert.equal(delivery.attempts.length, 1)
    const message = receiver.received.find(({ path }) => path.startsWith('/test'))
    const shown = JSON.parse(message?.body ?? '')
    assert.deepEqual([shown.type, shown.sequence, shown.subject], ['webhook.test', 1, id])
    assert.deepEqual(Object.keys(shown), ['id', 'type', 'createdAt', 'sequence', 'subject', 'data'])
    assert.ok(!message?.body.includes(secret) && !message?.body.includes('hidden'))
    const events = (await request('GET', '/events?limit=100', { token })).body.data
    assert.ok(events.every((event: { subject: string }) => event.subject !== id))
    assert.equal((await request('GET', `/webhook-endpoints/${id}`, { token })).body.status, 'enabled')
  })

  await t.test('an owner who may no longer see an event is not sent it, nor shown what was', async () => {
    const [oz, ada] = [await signUp('operator'), await signUp()]
    const { id } = await addEndpoint(oz.token, '/staff')
    receiver.behave(answering(500), '/staff')
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
  })

  await t.test('a receiver that hangs holds up nobody, and has one request at a time', async () => {
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

  await t.test('what waits in this process for an endpoint that is disabled is not sent', async () => {
    const { id } = await newEndpoint('/wide')
    await write({ ownerId: userId }, { ownerId: userId })
    await untilDeliveries(token, id, (all) => all.length === 2 && all.every(({ status }) => status === 'delivered'))
    const answers: (() => void)[] = []
    receiver.behave((response) => void answers.push(() => response.end()), '/wide')
    await write(...Array.from({ length: 12 }, () => ({ ownerId: userId })))
    await untilTrue(async () => {
      const taken = await service.db
        .selectFrom('webhook_queues')
        .select('subject')
        .where('endpoint_id', '=', id)
        .where('lease_token', 'is not', null)
        .execute()
      return taken.length >= 6 && answers.length >= 2
    })
    const begun = answers.length
    await request('PATCH', `/webhook-endpoints/${id}`, { token, body: { status: 'disabled' } })
    receiver.behave(answering(200), '/wide')
    for (const answer of answers) answer()
    await untilDeliveries(token, id, (all) => all.filter(({ status }) => status === 'delivered').length === 2 + begun)
    assert.equal(subjectsAt(scene, '/wide').length, 2 + begun)
    await request('PATCH', `/webhook-endpoints/${id}`, { token, body: { status: 'enabled' } })
    await untilDeliveries(token, id, (all) => all.length === 14 && all.every(({ status }) => status === 'delivered'))
  })

  await t.test('a deleted endpoint receives nothing more', async () => {
    const { id } = await newEndpoint('/deleted')
    receiver.behave(answering(500), '/deleted')
    await write({ ownerId: userId })
    await untilDeliveries(token, id, ([one]) => one?.attempts.length === 1)
    assert.equal((await request('DELETE', `/webhook-endpoints/${id}`, { token })).status, 204)
    // The service itself does not know yet that time has passed.
    service.clock.shift(6)
    const now = service.clock.now()
    const places = { places: new Map<string, number>(), otherwise: 5, limit: 100 }
    const claims = await claimDue(service.db, {
      token: crypto.randomUUID(),
      now,
      until: now,
      ...places,
      endpointIds: [id],
    })
    assert.deepEqual(claims, [])
  })
})

test('several processes share the work: each event is sent once and in order, what a killed one had is taken over', async (t) => {
  const scene = await startWebhookScene(t, { isStill: true })
  const { service, receiver, signUp, addEndpoint, write, untilDeliveries, shift } = scene
  const { token, userId } = await signUp()
  const { id } = await addEndpoint(token, '/shared')
  const subjects = Array.from({ length: 5 }, () => newId('order'))
  const events = Array.from({ length: 40 }, (_, index) => ({
    ownerId: userId,
    subject: subjects[index % 5] ?? '',
    data: { id: `${index % 5} ${String(index).padStart(2, '0')}` },
  }))
  await takeAndDie(scene, id)
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
  shift(60)
  await receiver.until(({ body }) => body.includes('left'))
  await untilDeliveries(token, id, (all) => all.every(({ status }) => status === 'delivered'))

  let answer = (): void => undefined
  receiver.behave((response) => {
    answer = () => void response.end()
  }, '/shared')
  const before = receiver.received.length
  await write({ ownerId: userId })
  await receiver.until(before + 1)
  const stopped = Promise.all([first.stop(), second.stop()])
  answer()
  await stopped
  const left = await service.db.selectFrom('webhook_queues').select('lease_token').execute()
  assert.deepEqual(left, [], 'what was under way as the service stopped has ended, and was noted')

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

/** Leaves what a process leaves that is killed after it has taken a delivery. */
async function takeAndDie({ service, write }: WebhookScene, endpointId: string): Promise<void> {
  const owner = await service.db
    .selectFrom('webhook_endpoints')
    .select('owner_id')
    .where('id', '=', endpointId)
    .executeTakeFirstOrThrow()
  await write({ ownerId: owner.owner_id, data: { id: 'left' } })
  await untilEventsVisible(service.db)
  await createDispatcher(service.parts.webhooks).dispatchNew()
  const now = service.clock.now()
  const lease = { token: crypto.randomUUID(), now, until: new Date(now.getTime() + 45_000) }
  const places = { places: new Map<string, number>(), otherwise: 1, endpointIds: undefined, limit: 100 }
  const claims = await claimDue(service.db, { ...lease, ...places })
  assert.equal(claims.length, 1)
}

async function untilTrue(isTrue: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1000; tries += 1) {
    if (await isTrue()) return
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  assert.fail('waited too long')
}
