import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { keepMessage } from '../../platform/messages/mail.ts'
import { showMail } from './shown-mail.ts'

const PICTURE = { cid: 'item-1', mediaType: 'image/png', base64: 'iVBORw0KGgo=' }
const HTML =
  '<!doctype html><html><head><style>.a { color: red }</style></head><body style="color: blue"><script>1</script><img src="cid:item-1" style="width: 9px"></body></html>'

test('the outbox states kinds, and HTML whose pictures need no other request', async (t) => {
  const service = await startService(t)
  const at = service.clock.now()
  const mail = { channel: 'email', kind: 'order_paid', to: 'ada@example.com', subject: 'Paid', text: 'Hello' } as const
  await keepMessage(service.db, { ...mail, html: HTML, pictures: [PICTURE] }, at)
  await keepMessage(service.db, { channel: 'sms', kind: 'sms_code', to: '+49', text: '123' }, at)
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.deepEqual(body, [
    { channel: 'sms', kind: 'sms_code', to: '+49', text: '123', at: at.toISOString() },
    { ...mail, html: HTML.replace('cid:item-1', 'data:image/png;base64,iVBORw0KGgo='), at: at.toISOString() },
  ])
})

test('the pages of the outbox show mails within the policy, to clients on the same machine only', async (t) => {
  const service = await startService(t)
  const get = (path: string, headers: Record<string, string> = {}) =>
    service.request('GET', `${service.origin}${path}`, { headers })
  assert.match((await get('/dev/outbox/mails')).text, /The outbox is empty/)
  const text = 'Open this: https://shop.example/a?b=1&c=2\n<b>'
  const mail = { channel: 'email', kind: 'order_paid', to: 'a@example.com', subject: '<b>Paid</b>', text } as const
  const at = service.clock.now()
  const id = await keepMessage(service.db, { ...mail, html: HTML, pictures: [PICTURE] }, at)
  const plain = await keepMessage(service.db, { ...mail, subject: 'Plain' }, at)
  const path = `/dev/outbox/mails/${id}`

  const { text: list } = await get('/dev/outbox/mails')
  assert.match(list, /&lt;b&gt;Paid&lt;\/b&gt;/)
  assert.ok(list.includes('<a href="https://shop.example/a?b=1&amp;c=2">'))
  assert.ok(list.includes(`href="${path}"`) && !list.includes(`href="/dev/outbox/mails/${plain}"`))
  const page = await get(path)
  assert.equal(page.headers.get('content-security-policy'), "default-src 'self'")
  assert.match(
    page.text,
    /^<!doctype html><html><head>\n<meta http-equiv="Content-Security-Policy" content="script-src 'none';/,
  )
  assert.ok(page.text.includes(`<img src="${path}/pictures/item-1" data-style="s2">`))
  assert.doesNotMatch(page.text, /style="[^s]|<style/)
  assert.match((await get(`${path}/style.css`)).text, /\[data-style="s1"\] { color: blue }.+\.a { color: red }/s)
  const picture = await get(`${path}/pictures/item-1`)
  assert.deepEqual(
    [picture.headers.get('content-type'), picture.body.toString('base64')],
    ['image/png', PICTURE.base64],
  )

  for (const hidden of [`/dev/outbox/mails/${plain}`, '/dev/outbox/mails/99', `${path}/pictures/logo`]) {
    assert.equal((await get(hidden)).status, 404, hidden)
  }
  for (const one of ['/dev/outbox/mails', path, `${path}/style.css`, `${path}/pictures/item-1`]) {
    assert.equal((await get(one, { 'x-forwarded-for': '192.0.2.1' })).status, 404, one)
    assert.equal((await get(one, { 'sec-fetch-site': 'cross-site' })).status, 404, one)
  }
})

test('styles of a mail move to its style sheet, also without an element head', () => {
  const shown = showMail('<p style="color: &#34;a&#34;; }b{">1</p><p style="color: red">style="x"</p>', '/s')
  assert.match(shown.html, /^<meta[^>]+>\n<link rel="stylesheet" href="\/s\?[0-9a-f]{16}"><p data-style="s1">1<\/p>/)
  assert.match(shown.html, /<p data-style="s2">style="x"<\/p>$/)
  assert.equal(shown.css, '[data-style="s1"] { color: "a"; b }\n[data-style="s2"] { color: red }')
})
