import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { ADDRESS } from '../../orders/factory.ts'
import { startMailShop } from '../factory.ts'
import { ORDER_MAIL_KINDS } from '../kinds.ts'
import { findFaults } from './placeholders.ts'

async function start(t: TestContext) {
  const service = await startService(t)
  const { accessToken: token, email } = await service.signUp({ role: 'admin' })
  const path = (kind: string, language: string) => `/mail-texts/${kind}/${language}`
  return {
    service,
    token,
    email,
    read: (kind: string, language = 'en') => service.request('GET', path(kind, language), { token }),
    write: (kind: string, body: object, { language = 'en', ifMatch = '*', as = token } = {}) =>
      service.request('PUT', path(kind, language), { token: as, body, headers: { 'if-match': ifMatch } }),
    reset: (kind: string, ifMatch: string, language = 'en') =>
      service.request('DELETE', path(kind, language), { token, headers: { 'if-match': ifMatch } }),
    preview: async (kind: string, language = 'en') =>
      (await service.request('GET', `/mail-previews/${kind}?language=${language}`, { token })).body,
  }
}

test('the default text of each mail shows what its placeholders stand for', async (t) => {
  const { service, token, read, preview } = await start(t)
  for (const kind of ORDER_MAIL_KINDS) {
    for (const language of ['en', 'de']) {
      const { status, body: text } = await read(kind, language)
      assert.deepEqual([status, text.isEdited, text.revision], [200, false, 0])
      const { subject, body } = text.default
      const answer = await service.request('POST', `/mail-previews/${kind}`, {
        token,
        body: { language, subject, body },
      })
      assert.equal(answer.status, 200, answer.text)
      const usual = await preview(kind, language)
      // The example of a hold needs an answer, which the default subject leaves out.
      if (kind !== 'order_on_hold') assert.equal(answer.body.subject, usual.subject)
      assert.equal(answer.body.text, usual.text)
      assert.doesNotMatch(answer.body.text + answer.body.html, /\{\{|undefined/)
    }
  }
})

test('an unknown placeholder is refused with its name, and a text without a word or with a line break in its subject', async (t) => {
  const { service, token, read, write } = await start(t)
  const body = 'Dear {{ customer.name }},\nyour {{refunded}} of {{total}} }} {{number}} {{__proto__}}'
  const refused = await write('order_paid', { subject: '{{nummer}}', body })
  assert.deepEqual([refused.status, refused.body.code], [422, 'mail_text_invalid'])
  assert.deepEqual(
    refused.body.errors.map(({ code, pointer, placeholder }: Record<string, string>) => [code, pointer, placeholder]),
    [
      ['placeholder_unknown', '/subject', 'nummer'],
      ['placeholder_unknown', '/body', 'customer.name'],
      ['placeholder_unknown', '/body', 'refunded'],
      ['placeholder_unknown', '/body', '__proto__'],
      ['placeholder_malformed', '/body', '}}'],
    ],
  )
  assert.match(refused.body.errors[0].detail, /\{\{nummer\}\}.*\{\{number\}\}/)
  const draft = { language: 'en', subject: 'x', body: '{{x}}' }
  for (const [path, given] of [
    ['/mail-previews/order_paid', draft],
    ['/mail-previews/order_paid/send', { language: 'en', text: { subject: 'x', body: '{{x}}' } }],
  ] as const) {
    assert.equal((await service.request('POST', path, { token, body: given })).body.code, 'mail_text_invalid')
  }
  for (const invalid of [
    { subject: 'Bcc\nTo: x', body: 'x' },
    { subject: ' ', body: 'x' },
    { subject: 'x', body: ' \n ' },
    { subject: 'x'.repeat(151), body: 'x' },
    { subject: 'x', body: 'x'.repeat(4001) },
  ]) {
    assert.equal((await write('order_paid', invalid)).status, 400, JSON.stringify(invalid))
  }
  assert.equal((await read('order_paid')).body.revision, 0)
})

test('a text with thousands of spaces is checked at once', () => {
  const begin = performance.now()
  const spaces = ' '.repeat(4_000)
  assert.deepEqual(findFaults('order_paid', `{{${spaces}x`), [{ code: 'placeholder_malformed', placeholder: '{{' }])
  assert.deepEqual(findFaults('order_paid', `{{${spaces}number${spaces}}}`), [])
  // A pattern that tries each division of the spaces takes a minute, this one less than a millisecond.
  assert.ok(performance.now() - begin < 5_000)
})

test('an edited text applies to its mail and language only, and never as HTML or as a template', async (t) => {
  const { write, preview } = await start(t)
  const body = '<script>alert(1)</script> {% raw %} & {{name}}\n\n\n{{payment}}\r\nLast'
  await write('order_received', { subject: 'Order {{ number }} <b>', body }, { language: 'de' })
  const mail = await preview('order_received', 'de')
  assert.equal(mail.subject, 'Order PL-7KQ4-M2XD <b>')
  assert.match(
    mail.text,
    /<script>alert\(1\)<\/script> \{% raw %\} & Ada Lovelace\n\nFalls Sie noch nicht bezahlt haben.*\n\nLast\n/s,
  )
  assert.match(mail.html, /<p[^>]*>&lt;script&gt;alert\(1\)&lt;\/script&gt; \{% raw %\} &amp; Ada Lovelace<\/p>/)
  assert.doesNotMatch(mail.html, /<script|PL-7KQ4-M2XD <b>/)
  assert.equal((await preview('order_received', 'en')).subject, 'We received your order PL-7KQ4-M2XD')
  assert.equal(
    (await preview('order_paid', 'de')).subject,
    'Ihre Zahlung für die Bestellung PL-7KQ4-M2XD ist eingegangen',
  )
})

test('of two administrators, the later one sees the text of the other, and a reset is a version of its own', async (t) => {
  const { read, write, reset, preview } = await start(t)
  const first = await read('order_paid')
  assert.equal(first.headers.get('etag'), '"0"')
  const saved = await write('order_paid', { subject: 'Mine', body: 'A' }, { ifMatch: '"0"' })
  assert.deepEqual([saved.status, saved.headers.get('etag'), saved.body.isEdited], [200, '"1"', true])
  const late = await write('order_paid', { subject: 'Yours', body: 'B' }, { ifMatch: '"0"' })
  assert.deepEqual([late.status, late.body.code, late.body.mailText.subject], [412, 'precondition_failed', 'Mine'])
  assert.equal((await reset('order_paid', '"0"')).status, 412)
  const back = await reset('order_paid', '"1"')
  assert.deepEqual([back.status, back.body.isEdited, back.body.revision], [200, false, 2])
  assert.equal(back.body.subject, back.body.default.subject)
  assert.match((await preview('order_paid')).subject, /^We received your payment/)
  assert.equal((await write('order_paid', { subject: 'Yours', body: 'B' }, { ifMatch: '"0"' })).status, 412)
})

test('only administrators edit texts, and an unknown mail or language has none', async (t) => {
  const { service, token, read, write } = await start(t)
  const operator = (await service.signUp({ role: 'operator' })).accessToken
  const text = { subject: 'x', body: 'x' }
  assert.equal((await write('order_paid', text, { as: operator })).status, 403)
  assert.equal((await service.request('GET', '/mail-texts/order_paid/en', { token: operator })).status, 403)
  const input = { name: 'mails', permissions: ['system:read'] }
  const { key } = (await service.request('POST', '/api/api-keys', { token, body: input })).body
  assert.equal((await write('order_paid', text, { as: key })).status, 403)
  assert.equal((await read('verify_email')).body.code, 'mail_not_found')
  assert.equal((await read('order_paid', 'fr')).status, 400)
})

test('a test mail has the text that is being written, and an order the one that is saved', async (t) => {
  const shop = await startMailShop(t)
  const { service } = shop
  const admin = await service.signUp({ role: 'admin' })
  const { accessToken: token } = admin
  const text = { subject: 'Draft {{number}}', body: 'Not yet' }
  const path = '/mail-previews/order_received/send'
  assert.equal((await service.request('POST', path, { token, body: { language: 'en', text } })).status, 202)
  const { body: outbox } = await service.request('GET', `${service.origin}/dev/outbox`)
  const sent = outbox.find(({ kind }: { kind: string }) => kind === 'test_mail')
  assert.deepEqual([sent.to, sent.subject], [admin.email, '[Test] Draft PL-7KQ4-M2XD'])
  assert.match(sent.text, /Not yet/)
  const saved = { subject: 'Thanks, {{name}}', body: '{{name}} ordered for {{total}} at {{shop}}.' }
  await service.request('PUT', '/mail-texts/order_received/en', { token, body: saved })
  // A value that looks like a placeholder is a value.
  const person = await shop.signUp()
  const designId = await shop.finalizedDesign({ ownerId: person.userId })
  const body = { items: [{ designId, quantity: 1 }], shippingAddress: { ...ADDRESS, name: '{{total}}' } }
  assert.equal((await shop.request('POST', '/orders', { token: person.token, body })).status, 201)
  const [mail] = await shop.untilMails(1)
  assert.equal(mail?.subject, 'Thanks, {{total}}')
  assert.match(mail?.text ?? '', /\{\{total\}\} ordered for €.* at Platen\./)
})
