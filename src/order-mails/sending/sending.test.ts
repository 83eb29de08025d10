import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { type MailServer, readMail, startMailServer } from '../../../test/fakes/mail-server.ts'
import { createDatabase, startService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { upload } from '../../assets/factory.ts'
import { customerIdOf } from '../../auth/index.ts'
import { ADDRESS, type Person } from '../../orders/factory.ts'
import { noteNewcomer } from '../../platform/newcomers.ts'
import { addPreview, type MailShop, startMailShop } from '../factory.ts'
import { sendJob } from './send-job.ts'
import { sendMails } from './send-mails.ts'

const bySmtp = (t: TestContext, { url }: MailServer, env: Record<string, string> = {}) =>
  startMailShop(t, { env: { PLATEN_SMTP_URL: url, ...env } })

/** Lets the jobs that wait for a retry run at once. */
const retryNow = ({ db }: MailShop) =>
  sql`
  update graphile_worker._private_jobs set run_at = now() where attempts > 0 and locked_at is null`.execute(db)

test('a mail has its text, its HTML, and its pictures as parts that all mail programs show', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server, { PLATEN_SHOP_NAME: 'Ada’s Cards', PLATEN_MAIL_FROM: 'Ada <ada@shop.example>' })
  const person = await shop.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  await addPreview(shop, designId)
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  await shop.request('POST', '/orders', { token: person.token, body })
  await until('the mails', () => server.received.length === 1)
  const [mail] = server.received
  assert.ok(mail !== undefined)
  const { headers, parts } = readMail(mail)
  assert.match(headers['message-id'] ?? '', /^<[0-9a-f]{32}@shop.example>$/)
  assert.equal(headers['auto-submitted'], 'auto-generated')
  const [text, html, picture, ...rest] = parts
  assert.deepEqual(rest, [])
  assert.match(text?.headers['content-type'] ?? '', /^text\/plain/)
  assert.match(text?.content.toString() ?? '', /Ada’s Cards/)
  assert.match(html?.headers['content-type'] ?? '', /^text\/html/)
  assert.match(html?.content.toString() ?? '', /<img src="cid:item-1"/)
  assert.equal(picture?.headers['content-id'], '<item-1>')
  const { format, width, height } = await sharp(picture?.content).metadata()
  assert.deepEqual([format, width, height], ['jpeg', 192, 128])
})

test('a mail has the name, the logo, the colour and the language that administrators have set', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  const { token } = await shop.signUp('admin')
  const background = { r: 200, g: 50, b: 43, alpha: 0.5 }
  const logo = await sharp({ create: { width: 480, height: 120, channels: 4, background } })
    .png()
    .toBuffer()
  const { body: asset } = await upload(shop.service, token, logo)
  const body = { name: 'Ada’s Cards', logoAssetId: asset.id, accentColor: '#ffe600', languages: ['de'] }
  assert.equal((await shop.request('PATCH', '/shop-settings', { token, body })).status, 200)
  await shop.order({ person: await shop.signUp() })
  await until('the mail', () => server.received.length === 1)
  const [mail] = server.received
  assert.ok(mail !== undefined)
  const [text, html, picture] = readMail(mail).parts
  assert.match(text?.content.toString() ?? '', /^Vielen Dank für Ihre Bestellung.*Ada’s Cards/s)
  assert.match(html?.content.toString() ?? '', /#ffe600/)
  assert.equal(picture?.headers['content-id'], '<logo>')
  const { format, width, hasAlpha } = await sharp(picture?.content).metadata()
  assert.deepEqual([format, width, hasAlpha], ['png', 400, true])
})

/** Returns the kinds of the mails about an order that the server took, by the subjects of the mails. */
function kindsAbout({ received }: MailServer, { number }: { number: string }): string[] {
  const texts = received.map((mail) => readMail(mail).parts[0]?.content.toString() ?? '')
  return texts
    .filter((text) => text.includes(number))
    .map((text) => KINDS.find(([, line]) => text.startsWith(line))?.[0] ?? text)
}

const KINDS = [
  ['received', 'Thank you for your order'],
  ['paid', 'Thank you for your payment'],
  ['on_hold', 'We need your answer'],
] as const

test('while the mail server rejects the mails of an order, others are sent, and then all arrive in order', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  const [late, quick] = [await shop.signUp(), await shop.signUp()]
  const { body: me } = await shop.request('GET', '/me', { token: late.token })
  server.isRejected = (recipient) => recipient === me.email
  const first = (await shop.order({ person: late })).order
  await until('a rejected mail', () => server.rejected() > 0)
  await shop.act(shop.operator, first.id, 'payments', { method: 'manual' })
  await shop.act(shop.operator, first.id, 'hold', { reason: 'Wait.' })
  const second = (await shop.order({ person: quick })).order
  await until('the mails', () => kindsAbout(server, second).length === 1)
  assert.deepEqual(kindsAbout(server, first), [])
  server.isRejected = () => false
  await until('the mails', async () => {
    await retryNow(shop)
    return kindsAbout(server, first).length === 3
  })
  await shop.untilIdle()
  assert.deepEqual(kindsAbout(server, first), ['received', 'paid', 'on_hold'])
})

test('a mail whose acceptance was not heard is sent again with the same Message-ID, before later mails', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  let lost = 0
  server.onMail = (mail) => {
    lost += 1
    if (lost > 1) return undefined
    server.received.push(mail)
    return Promise.reject(new Error('the connection is lost'))
  }
  const { order } = await shop.order()
  await shop.act(shop.operator, order.id, 'payments', { method: 'manual' })
  await until('the mails', async () => {
    await retryNow(shop)
    return server.received.length >= 3
  })
  await shop.untilIdle()
  assert.deepEqual(kindsAbout(server, order), ['received', 'received', 'paid'])
  const [first, again, other] = server.received.map((mail) => readMail(mail).headers['message-id'])
  assert.equal(first, again)
  assert.notEqual(first, other)
})

/** Creates an order, about which the mails show a picture of the item. */
async function orderWithPicture(shop: MailShop, customer?: Person): Promise<Person> {
  const person = customer ?? (await shop.signUp())
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  await addPreview(shop, designId)
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const { status, text } = await shop.request('POST', '/orders', { token: person.token, body })
  assert.equal(status, 201, text)
  return person
}

test('pictures that take long delay no mails with links, and are left out', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  const { orderMails } = shop.service.services
  orderMails.drawThumbnail = (_job, { signal }) =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))
  for (let count = 0; count < 4; count += 1) await orderWithPicture(shop)
  await until('mails whose pictures are drawn', async () => {
    const leased = await shop.db.selectFrom('order_mails').select('id').where('leased_until', 'is not', null).execute()
    return leased.length === 3
  })
  await shop.request('POST', '/api/auth/register', {
    body: { email: 'new@example.com', password: 'a quiet lake at dusk' },
  })
  await until('the mail with a link', () => server.received.length > 0)
  assert.deepEqual(
    server.received.map(({ to }) => to),
    [['new@example.com']],
  )
  await until('all mails', () => server.received.length === 5)
  for (const mail of server.received.slice(1)) assert.equal(readMail(mail).parts.length, 2)
})

test('mails of new customers of one network whose pictures take long do not delay mails of others', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  const { orderMails } = shop.service.services
  const drawn: string[] = []
  const { promise: end, resolve: letEnd } = Promise.withResolvers<void>()
  const draw = orderMails.drawThumbnail
  orderMails.drawThumbnail = async (job, options) => {
    drawn.push(options.owner)
    if (options.owner.startsWith('mails of guests ')) await end
    return draw(job, options)
  }
  const newcomers = [await shop.signUp(), await shop.signUp(), await shop.signUp()]
  await shop.db.transaction().execute(async (trx) => {
    for (const { userId } of newcomers) await noteNewcomer(trx, userId, Uint8Array.of(1, 1, 1, 0))
  })
  for (const person of newcomers) await orderWithPicture(shop, person)
  await until('the first picture', () => drawn.length > 0)
  const { userId } = await orderWithPicture(shop)
  await until('the mail of another customer', () => drawn.includes(`mails of ${userId}`))
  const { body: me } = await shop.request('GET', `/customers/${customerIdOf(userId)}`, { token: shop.operator.token })
  await until('the first mail', () => server.received.length > 0)
  const [first] = server.received
  letEnd()
  await until('all mails', () => server.received.length === 4)
  assert.deepEqual(first?.to, [me.email])
  assert.equal(new Set(drawn).size, 2, 'the customers of the network are one owner')
})

test('the pictures of a mail do not wait behind other jobs of the customer', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  const { orderMails } = shop.service.services
  const draw = orderMails.drawThumbnail
  const owners: unknown[] = []
  orderMails.drawThumbnail = (job, options) => {
    owners.push(options.owner)
    return draw(job, options)
  }
  const person = await shop.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  await addPreview(shop, designId)
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  await shop.request('POST', '/orders', { token: person.token, body })
  await until('the mail', () => server.received.length === 1)
  assert.deepEqual(owners, [`mails of ${person.userId}`])
})

test('the picture of an item is drawn once for all mails about its order', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  const { orderMails } = shop.service.services
  const draw = orderMails.drawThumbnail
  let drawn = 0
  orderMails.drawThumbnail = (...args) => {
    drawn += 1
    return draw(...args)
  }
  const person = await shop.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  await addPreview(shop, designId)
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const { body: order } = await shop.request('POST', '/orders', { token: person.token, body })
  await until('the first mail', () => server.received.length === 1)
  await shop.act(shop.operator, order.id, 'payments', { method: 'manual' })
  await until('the second mail', () => server.received.length === 2)
  for (const mail of server.received) assert.equal(readMail(mail).parts.length, 3)
  assert.equal(drawn, 1)
})

test('two processes send each mail once', async (t) => {
  const server = await startMailServer(t)
  const database = await createDatabase(t)
  const env = { PLATEN_SMTP_URL: server.url }
  const shop = await startMailShop(t, { database, env })
  const other = await startService(t, {
    database,
    env,
    clock: shop.service.clock,
    dataDir: shop.service.config.dataDir,
  })
  other.startJobs()
  const people = await Promise.all(Array.from({ length: 4 }, () => shop.signUp()))
  const orders = await Promise.all(
    people.flatMap((person) => [1, 2, 3].map(async () => (await shop.order({ person })).order)),
  )
  await Promise.all(orders.map(({ id }) => shop.act(shop.operator, id, 'payments', { method: 'manual' })))
  await shop.untilIdle()
  for (const order of orders) assert.deepEqual(kindsAbout(server, order), ['received', 'paid'])
  assert.equal(server.received.length, 24)
  await Promise.all([shop.service.close(), other.close()])
})

test('a process does not send a mail that another one is sending, nor those after it', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  const isTaken = Promise.withResolvers<void>()
  server.onMail = () => isTaken.promise
  const { order } = await shop.order()
  await shop.act(shop.operator, order.id, 'payments', { method: 'manual' })
  const held = async () => {
    const row = await shop.db
      .selectFrom('order_mails')
      .select(['kind', 'lease_token'])
      .where('lease_token', 'is not', null)
      .executeTakeFirst()
    return row
  }
  await until('the mails', async () => (await held()) !== undefined)
  // As a job of another process would.
  await sendMails(shop.service.services.orderMails, order.id)
  assert.equal((await held())?.kind, 'order_received')
  isTaken.resolve()
  await until('the mails', () => server.received.length === 2)
  await shop.untilIdle()
  assert.deepEqual(kindsAbout(server, order), ['received', 'paid'])
})

test('a process that was killed while it sent a mail delays it until its lease ends', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server, { PLATEN_ORDER_MAILS: 'off' })
  const { orderMails } = shop.service.services
  const { order } = await shop.order()
  const event = await shop.db
    .selectFrom('events')
    .select('id')
    .where('subject', '=', order.id)
    .executeTakeFirstOrThrow()
  await shop.db
    .insertInto('order_mails')
    .values({
      ...{ order_id: order.id, kind: 'order_received', cause: 'order', event_id: event.id, sequence: 1 },
      ...{ status: 'waiting', created_at: shop.service.clock.now(), lease_token: randomUUID() },
      leased_until: sql<Date>`now() + interval '1 hour'`,
    })
    .execute()
  const on = { ...orderMails, config: { ...orderMails.config, orderMails: true } }
  await sendMails(on, order.id)
  assert.deepEqual(server.received, [])
  const { rows } = await sql<{ waits: boolean }>`
    select run_at > now() + interval '59 minutes' as waits from graphile_worker._private_jobs
    where key = ${`${sendJob.name}/${order.id}`}`.execute(shop.db)
  assert.deepEqual(rows, [{ waits: true }])
  await shop.db.updateTable('order_mails').set({ leased_until: sql<Date>`now()` }).execute()
  await sendMails(on, order.id)
  assert.deepEqual(kindsAbout(server, order), ['received'])
})

test('a mail that cannot be sent is given up after the last attempt, and the next one follows', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  server.isRejected = () => true
  const { order } = await shop.order()
  await shop.act(shop.operator, order.id, 'payments', { method: 'manual' })
  const statuses = async () => {
    const rows = await shop.db.selectFrom('order_mails').select(['kind', 'status']).orderBy('sequence').execute()
    return rows.map(({ kind, status }) => `${kind} ${status}`)
  }
  await until('the mails', async () => (await statuses()).length === 2 && server.rejected() > 0)
  await until('the mails', async () => {
    // Between two attempts, the last one is due.
    await sql`
      update graphile_worker._private_jobs set attempts = max_attempts - 1, run_at = now()
      where attempts between 1 and max_attempts - 2 and locked_at is null`.execute(shop.db)
    return (await statuses())[0] === 'order_received failed'
  })
  server.isRejected = () => false
  await until('the mails', async () => {
    await retryNow(shop)
    return (await statuses())[1] !== 'order_paid waiting'
  })
  assert.match(shop.service.logLines(), /could not be sent and is given up/)
  assert.deepEqual((await statuses())[0], 'order_received failed')
})

test('a mail to a mailbox that does not exist is tried once', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  server.isRejected = () => true
  server.rejection = '550 5.1.1 no such user'
  await shop.order()
  await shop.untilIdle()
  assert.equal(server.rejected(), 1)
  const row = await shop.db.selectFrom('order_mails').select(['status', 'reason']).executeTakeFirst()
  assert.deepEqual(row, { status: 'skipped', reason: 'rejected' })
  await until('the end of its job', async () => {
    const { rows } = await sql`select from graphile_worker._private_jobs where attempts > 0`.execute(shop.db)
    return rows.length === 0
  })
})

test('while the mail server does not accept the shop as a sender, mails wait', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  server.isRejected = () => true
  for (const rejection of [
    '554 5.7.1 relay access denied',
    '530 5.7.0 authentication required',
    '550 relaying denied',
  ]) {
    server.rejection = rejection
    const { order } = await shop.order()
    const before = server.rejected()
    await until('a rejected mail', () => server.rejected() > before)
    await until('another attempt', async () => {
      const { rows } = await sql`
        select from graphile_worker._private_jobs
        where key = ${`${sendJob.name}/${order.id}`} and attempts > 0 and locked_at is null`.execute(shop.db)
      return rows.length === 1
    })
  }
  const rows = await shop.db.selectFrom('order_mails').select('status').execute()
  assert.deepEqual(
    rows.map(({ status }) => status),
    ['waiting', 'waiting', 'waiting'],
  )
})

test('after the last attempt has succeeded, the next mails of the order follow', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  server.isRejected = () => true
  const { order } = await shop.order()
  await until('a rejected mail', () => server.rejected() > 0)
  await shop.act(shop.operator, order.id, 'payments', { method: 'manual' })
  await until('two mails', async () => (await shop.db.selectFrom('order_mails').select('id').execute()).length === 2)
  server.isRejected = () => false
  await until('the mails', async () => {
    await sql`
      update graphile_worker._private_jobs set attempts = max_attempts - 1, run_at = now()
      where attempts between 1 and max_attempts - 2 and locked_at is null`.execute(shop.db)
    return kindsAbout(server, order).length === 2
  })
  assert.deepEqual(kindsAbout(server, order), ['received', 'paid'])
})

test('a mail of which no attempt succeeded for a week is skipped', async (t) => {
  const server = await startMailServer(t)
  const shop = await bySmtp(t, server)
  server.isRejected = () => true
  const { order } = await shop.order()
  await until('a rejected mail', () => server.rejected() > 0)
  server.isRejected = () => false
  shop.service.clock.shift(8 * 86_400)
  await retryNow(shop)
  await shop.untilIdle()
  assert.deepEqual(kindsAbout(server, order), [])
  const row = await shop.db.selectFrom('order_mails').select('reason').executeTakeFirst()
  assert.equal(row?.reason, 'too_old')
})
