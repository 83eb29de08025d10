import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService, untilEventsVisible } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { ADDRESS, type Person } from '../orders/factory.ts'
import { emit } from '../platform/outbox/index.ts'
import { type MailShop, startMailShop } from './factory.ts'

const kindsOf = (mails: readonly { kind: string }[]) => mails.map(({ kind }) => kind)

async function openGuest({ db, request }: MailShop): Promise<Person> {
  const known = (await db.selectFrom('users').select('id').execute()).map(({ id }) => id)
  const { body } = await request('POST', '/api/auth/guest')
  const { id: userId } = await db
    .selectFrom('users')
    .select('id')
    .where('id', 'not in', known)
    .executeTakeFirstOrThrow()
  return { userId, token: body.accessToken }
}

/** Takes an order through every kind of mail but the cancellation, with two holds, two parcels and two refunds. */
async function experience({ order, act, operator }: MailShop, customer: Person): Promise<string> {
  const { id, items } = (await order({ person: customer, quantity: 3 })).order
  const [{ id: itemId }] = items
  await act(operator, id, 'payments', { method: 'manual' })
  await act(operator, id, 'hold', { reason: 'Is the blue right?', resolution: 'answer' })
  // The reply repeats the event of the hold.
  await act(customer, id, 'resolve-hold', { message: 'Yes.' })
  await act(operator, id, 'release')
  await act(operator, id, 'start-production')
  await act(operator, id, 'hold', { reason: 'The street is unknown.', resolution: 'address' })
  await act(customer, id, 'resolve-hold', { shippingAddress: { ...ADDRESS, line1: 'Lindenstr. 12' } })
  const tracking = { carrier: 'DHL', trackingNumber: '0034', trackingUrl: 'https://parcels.example/0034?a=1&b=2' }
  const first = await act(operator, id, 'shipments', { ...tracking, items: [{ itemId, quantity: 1 }] })
  const second = await act(operator, id, 'shipments', { carrier: 'Post' })
  await act(operator, id, `shipments/${first.id}/deliver`)
  await act(operator, id, `shipments/${second.id}/deliver`)
  await act(operator, id, 'refunds', { amount: { amount: 100, currency: 'EUR' }, reason: 'One was scratched.' })
  await act(operator, id, 'refunds', { reason: 'The others, too.' })
  return id
}

const EXPECTED = {
  en: [
    [
      'order_received',
      /^We received your order PL-\S+$/,
      /If you have not paid yet, you can do so on the page of your order/,
    ],
    ['order_paid', /^We received your payment/, /payment of €\d/],
    ['order_on_hold', /needs your answer$/, /Message from Platen:\n> Is the blue right\?\n.*Answer:\nhttp/s],
    [
      'order_on_hold',
      /needs your answer$/,
      /another postal address.*> The street is unknown.\n.*Correct the address:\n/s,
    ],
    [
      'order_shipped',
      /^Part of your order/,
      /Carrier: DHL\nTracking number: 0034\nhttps:\/\/parcels.example\/0034\?a=1&b=2\n.*Quantity: 1\n/s,
    ],
    ['order_shipped', /^Your order .* is on its way$/, /Carrier: Post\n\n.*Quantity: 2\n/s],
    ['order_delivered', /has arrived$/, /delivered your order/],
    ['order_refunded', /^Refund/, /We returned €1.00 .*> One was scratched./s],
    ['order_refunded', /^Refund/, /We returned €\d+.*> The others, too./s],
  ],
  de: [
    [
      'order_received',
      /^Ihre Bestellung PL-\S+ ist eingegangen$/,
      /noch nicht bezahlt haben, können Sie das auf der Seite Ihrer Bestellung/,
    ],
    ['order_paid', /^Ihre Zahlung .* ist eingegangen$/, /Zahlung über \d+,\d\d\s€/],
    ['order_on_hold', /^Rückfrage/, /Nachricht von Platen:\n> Is the blue right\?\n.*Antworten:\nhttp/s],
    ['order_on_hold', /^Rückfrage/, /andere Anschrift.*> The street is unknown.\n.*Anschrift korrigieren:\n/s],
    [
      'order_shipped',
      /^Ein Teil Ihrer Bestellung/,
      /Versanddienst: DHL\nSendungsnummer: 0034\nhttps:\/\/parcels.example\/0034\?a=1&b=2\n.*Menge: 1\n/s,
    ],
    ['order_shipped', /^Ihre Bestellung .* ist unterwegs$/, /Versanddienst: Post\n\n.*Menge: 2\n/s],
    ['order_delivered', /ist angekommen$/, /zugestellt/],
    ['order_refunded', /^Erstattung/, /1,00\s€ zu Ihrer.*> One was scratched./s],
    ['order_refunded', /^Erstattung/, /> The others, too./],
  ],
} as const

for (const [locale, language] of [
  ['en', 'en'],
  ['de-DE', 'de'],
  ['fr', 'en'],
] as const) {
  test(`each cause gives one mail in the order of the events, for a customer with the locale ${locale}`, async (t) => {
    const shop = await startMailShop(t)
    const customer = await shop.signUp()
    await shop.request('PATCH', '/me', { token: customer.token, body: { locale } })
    const orderId = await experience(shop, customer)
    await shop.untilIdle()
    const mails = await shop.mails()
    const expected = EXPECTED[language]
    assert.deepEqual(kindsOf(mails), kindsOf(expected.map(([kind]) => ({ kind }))))
    const url = `${shop.service.config.origin}/orders/${orderId}`
    for (const [index, [, subject, text]] of expected.entries()) {
      const mail = mails[index]
      assert.ok(mail !== undefined)
      assert.match(mail.subject, subject)
      assert.match(mail.text, text)
      assert.match(mail.html, new RegExp(`<html lang="${language}">`))
      assert.ok(mail.html.includes(`href="${url}"`) && mail.text.includes(`\n${url}\n`))
      assert.doesNotMatch(mail.text, /<|&amp;|undefined|null|\n\n\n/)
    }
  })
}

test('a cancelled order gives a mail with the reason of the shop, and its refund another one', async (t) => {
  const shop = await startMailShop(t)
  const [unpaid, paid] = [await shop.order(), await shop.order()]
  await shop.act(unpaid, unpaid.order.id, 'cancel', { reason: 'I found a better design.' })
  await shop.act(shop.operator, paid.order.id, 'payments', { method: 'manual' })
  await shop.act(shop.operator, paid.order.id, 'cancel', { reason: 'The paper is sold out.' })
  await shop.untilIdle()
  const about = async ({ order }: typeof paid) => (await shop.mails()).filter(({ text }) => text.includes(order.number))
  const [, cancelled] = await about(unpaid)
  assert.equal(cancelled?.kind, 'order_cancelled')
  assert.doesNotMatch(cancelled.text, /better design|return/)
  const mails = await about(paid)
  assert.deepEqual(kindsOf(mails), ['order_received', 'order_paid', 'order_cancelled', 'order_refunded'])
  assert.match(mails[2]?.text ?? '', /We return your payment.*> The paper is sold out./s)
})

test('unpaid orders send few mails to addresses that are not confirmed; the own address and paid orders get all', async (t) => {
  const shop = await startMailShop(t, { env: { PLATEN_RATE_LIMITS: 'on' } })
  const [mallory, guest] = [await shop.signUp(), await openGuest(shop)]
  const orderTo = async ({ token, userId }: Person, email?: string) => {
    const designId = await shop.finalizedDesign({ ownerId: userId })
    const shippingAddress = { ...ADDRESS, ...(email === undefined ? {} : { email }) }
    const body = { items: [{ designId, quantity: 1 }], shippingAddress }
    const answer = await shop.request('POST', '/orders', { token, body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body.id as string
  }
  const numberTo = async (email: string) => {
    await shop.untilIdle()
    return (await shop.mails()).filter(({ to }) => to === email).length
  }
  const [victim, own] = ['Victim@elsewhere.example', (await shop.request('GET', '/me', mallory)).body.email]
  const orders: string[] = []
  for (let i = 0; i < 7; i++) orders.push(await orderTo(mallory, victim), await orderTo(guest, victim.toLowerCase()))
  assert.equal((await numberTo(victim)) + (await numberTo(victim.toLowerCase())), 10)
  for (let i = 0; i < 12; i++) await orderTo(mallory)
  assert.equal(await numberTo(own), 12)

  const before = await numberTo(victim)
  await shop.act(shop.operator, orders[0] ?? '', 'payments', { method: 'manual' })
  assert.equal(await numberTo(victim), before + 1)
  shop.service.clock.shift(3_601)
  await orderTo(await shop.signUp(), victim)
  assert.equal(await numberTo(victim), before + 2)
})

test('a sender who uses many addresses that are not confirmed is limited as well', async (t) => {
  const shop = await startMailShop(t, { env: { PLATEN_RATE_LIMITS: 'on' } })
  const { mayMailUnconfirmed } = shop.service.services.auth
  const [one, other] = [await openGuest(shop), await openGuest(shop)]
  let allowed = 0
  for (let i = 0; i < 40; i++) {
    const { userId: senderId } = i % 2 === 0 ? one : other
    if (await mayMailUnconfirmed({ email: `${i}@elsewhere.example`, senderId })) allowed += 1
  }
  assert.equal(allowed, 30)
  const { userId: senderId } = await shop.signUp()
  assert.equal(await mayMailUnconfirmed({ email: 'one@elsewhere.example', senderId }), true)
})

test('markup in texts of users is text in HTML', async (t) => {
  const shop = await startMailShop(t)
  const person = await shop.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  const evil = '<img src=x onerror=alert(1)>"\'&amp;</td>{{ shop.url }}'
  await shop.db.updateTable('designs').set({ name: evil }).where('id', '=', designId).execute()
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, name: evil } }
  const { body: order } = await shop.request('POST', '/orders', { token: person.token, body })
  await shop.act(shop.operator, order.id, 'payments', { method: 'manual' })
  await shop.act(shop.operator, order.id, 'hold', { reason: `<script>alert(1)</script>\n${evil}` })
  const [received, , held] = await shop.untilMails(3)
  for (const mail of [received, held]) {
    assert.ok(mail !== undefined)
    assert.ok(mail.html.includes('&lt;img src=x onerror=alert(1)&gt;&#34;&#39;&amp;amp;&lt;/td&gt;{{ shop.url }}'))
    assert.doesNotMatch(mail.html, /<img|<script/)
    assert.ok(mail.text.includes(evil))
  }
  assert.match(held?.html ?? '', /&lt;script&gt;/)
})

test('links of mails lead to the public URL behind a proxy, whatever host a request names', async (t) => {
  const env = { PLATEN_PUBLIC_URL: 'https://prints.example/', PLATEN_TRUSTED_PROXIES: 'loopback' }
  const shop = await startMailShop(t, { env })
  const person = await shop.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  const { status, body: order } = await shop.request('POST', '/orders', {
    token: person.token,
    body: { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS },
    headers: { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.1' },
  })
  assert.equal(status, 201)
  await shop.untilIdle()
  const rows = await shop.db
    .selectFrom('outbox_messages')
    .select(['html', 'text'])
    .where('about', '=', order.id)
    .execute()
  assert.equal(rows.length, 1)
  for (const content of [rows[0]?.html ?? '', rows[0]?.text ?? '']) {
    assert.ok(content.includes(`https://prints.example/orders/${order.id}`))
    assert.doesNotMatch(content, /evil|127\.0\.0\.1|localhost/)
  }
})

test('mails go to the email address of the order before that of the customer', async (t) => {
  const shop = await startMailShop(t)
  const person = await shop.signUp()
  const { order } = await shop.order({ person })
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  const shippingAddress = { ...ADDRESS, email: 'office@example.com' }
  await shop.request('POST', '/orders', {
    token: person.token,
    body: { items: [{ designId, quantity: 1 }], shippingAddress },
  })
  const mails = await shop.untilMails(2)
  const { body: me } = await shop.request('GET', '/me', { token: person.token })
  assert.deepEqual(mails.map(({ to }) => to).sort(), [me.email, 'office@example.com'].sort())
  assert.equal(mails.find(({ text }) => text.includes(order.number))?.to, me.email)
})

test('a customer without an email address gets no mail', async (t) => {
  const shop = await startMailShop(t)
  const { body: customer } = await shop.request('POST', '/customers', {
    token: shop.operator.token,
    body: { externalId: 'customer-1' },
  })
  const ownerId = customer.id.replace('cus_', 'usr_')
  const designId = await shop.finalizedDesign({ ownerId })
  const headers = { 'Platen-Customer': 'ext:customer-1' }
  const order = () => {
    const body = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
    return shop.request('POST', '/orders', { token: shop.operator.token, headers, body })
  }
  assert.equal((await order()).status, 201)
  await shop.untilIdle()
  assert.deepEqual(await shop.mails(), [])
  const change = { token: shop.operator.token, body: { email: 'kim@example.com', locale: 'de' } }
  assert.equal((await shop.request('PATCH', `/customers/${customer.id}`, change)).status, 200)
  await order()
  const [mail] = await shop.untilMails(1)
  assert.deepEqual([mail?.to, mail?.subject.startsWith('Ihre Bestellung')], ['kim@example.com', true])
})

test('erasing a customer withdraws the mails of the outbox, and later events give none', async (t) => {
  const shop = await startMailShop(t)
  const person = await shop.signUp()
  const { order } = await shop.order({ person })
  await shop.act(shop.operator, order.id, 'payments', { method: 'manual' })
  await shop.act(shop.operator, order.id, 'start-production')
  await shop.db
    .updateTable('orders')
    .set({ shipping_address: JSON.stringify({ ...ADDRESS, email: 'office@example.com' }) })
    .where('id', '=', order.id)
    .execute()
  await shop.act(shop.operator, order.id, 'hold', { reason: 'Please wait.' })
  await shop.untilMails(3)
  assert.equal((await shop.request('DELETE', '/me', { token: person.token })).status, 204)
  assert.deepEqual(await shop.mails(), [])
  // The parcel still needs the postal address, which contains an email address.
  await shop.act(shop.operator, order.id, 'release')
  await shop.act(shop.operator, order.id, 'shipments', { carrier: 'DHL' })
  await shop.untilIdle()
  assert.deepEqual(await shop.mails(), [])
})

test('looking for events writes nothing if there are none', async (t) => {
  // No job runner reads events in this service.
  const { db, services } = await startService(t)
  const { addMails } = await import('./add-mails.ts')
  const lastLock = async () => (await sql`select xmax::text, ctid::text from order_mail_cursor`.execute(db)).rows
  await db.transaction().execute(async (trx) => {
    const event = { type: 'design.finalized', subject: newId('design'), ownerId: newId('user'), data: {} }
    await emit(trx, { ...event, at: new Date() } as const)
  })
  await untilEventsVisible(db)
  const first = await lastLock()
  await addMails(services.orderMails)
  const read = await lastLock()
  assert.notDeepEqual(read, first)
  await addMails(services.orderMails)
  assert.deepEqual(await lastLock(), read)
})

test('PLATEN_ORDER_MAILS=off gives no mails, also not later for what happened meanwhile', async (t) => {
  const first = await startMailShop(t, { env: { PLATEN_ORDER_MAILS: 'off' } })
  const person = await first.order()
  // While they are off, the position follows once a minute. The next start makes it follow at once.
  await untilEventsVisible(first.db)
  const { addMails } = await import('./add-mails.ts')
  const { orderMails } = first.service.services
  await addMails(orderMails)
  assert.deepEqual(await first.mails(), [])
  await addMails({ ...orderMails, config: { ...orderMails.config, orderMails: true } })
  assert.deepEqual(await first.db.selectFrom('order_mails').select('id').execute(), [])
  assert.ok(person.order.id)
})
