import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { startService } from '../../../test/harness.ts'
import { upload } from '../../assets/factory.ts'
import { ORDER_MAIL_KINDS } from '../kinds.ts'

async function start(t: TestContext, env: Record<string, string> = {}) {
  const service = await startService(t, { env })
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const preview = (kind: string, language = 'en') =>
    service.request('GET', `/mail-previews/${kind}?language=${language}`, { token })
  const send = (kind: string, language = 'en', as = token) =>
    service.request('POST', `/mail-previews/${kind}/send`, { token: as, body: { language } })
  return { service, admin, token, preview, send }
}

interface Mail {
  kind: string
  to: string
  subject: string
  text: string
  html: string
}

test('every mail has a preview in each language of the shop, in the present look', async (t) => {
  const { service, token, preview } = await start(t)
  const logo = await sharp({ create: { width: 480, height: 120, channels: 3, background: '#c8322b' } })
    .png()
    .toBuffer()
  const { body: asset } = await upload(service, token, logo)
  const look = { name: 'Ada’s Cards', accentColor: '#ffe600', logoAssetId: asset.id }
  await service.request('PATCH', '/shop-settings', { token, body: look })
  const { body } = await service.request('GET', '/mail-previews', { token })
  assert.deepEqual(
    body.data,
    ORDER_MAIL_KINDS.map((kind) => ({ kind, languages: ['en', 'de'] })),
  )
  const subjects = new Set<string>()
  for (const { kind, languages } of body.data) {
    for (const language of languages) {
      const { status, body: mail } = await preview(kind, language)
      assert.deepEqual([status, mail.kind, mail.language], [200, kind, language])
      assert.ok(mail.subject.includes('PL-7KQ4-M2XD'), mail.subject)
      assert.match(mail.text, /Ada’s Cards/)
      assert.match(mail.html, /#ffe600.*src="data:image\/png;base64,/s)
      assert.doesNotMatch(mail.text + mail.html, /undefined|null|NaN|cid:/)
      subjects.add(mail.subject)
    }
  }
  assert.equal(subjects.size, ORDER_MAIL_KINDS.length * 2)
  assert.match((await preview('order_shipped', 'de')).body.text, /DHL/)
  assert.match((await preview('order_refunded')).body.text, /€5\.00/)
})

test('a test mail goes to the caller only, as the preview shows it, and at most 20 times an hour', async (t) => {
  const { service, admin, preview, send } = await start(t)
  const { status, body } = await send('order_paid', 'de')
  assert.deepEqual([status, body], [202, { to: admin.email }])
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const [mail] = (outbox.body as Mail[]).filter(({ kind }) => kind === 'test_mail')
  const { subject, text } = (await preview('order_paid', 'de')).body
  assert.deepEqual([mail?.to, mail?.subject, mail?.text], [admin.email, `[Test] ${subject}`, text])
  for (let count = 1; count < 20; count += 1) assert.equal((await send('order_paid')).status, 202)
  const refused = await send('order_paid')
  assert.deepEqual([refused.status, refused.body.code], [429, 'rate_limited'])
})

test('only administrators see previews, and an unknown mail or language is refused', async (t) => {
  const { service, token, preview, send } = await start(t)
  const operator = (await service.signUp({ role: 'operator' })).accessToken
  assert.equal((await send('order_paid', 'en', operator)).status, 403)
  assert.equal((await service.request('GET', '/mail-previews', { token: operator })).status, 403)
  assert.equal((await service.request('GET', '/mail-previews')).status, 401)
  assert.deepEqual((await preview('toString')).body.code, 'mail_not_found')
  assert.equal((await preview('order_paid', 'fr')).status, 400)
  const input = { name: 'mails', permissions: ['system:read'] }
  const { key } = (await service.request('POST', '/api/api-keys', { token, body: input })).body
  assert.equal((await service.request('GET', '/mail-previews/order_paid?language=en', { token: key })).status, 200)
  assert.equal((await send('order_paid', 'en', key)).status, 403)
})
