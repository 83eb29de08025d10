import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { OrderBody } from '../../orders/index.ts'
import { onColor } from '../../platform/colors.ts'
import { createLog } from '../../platform/telemetry/log.ts'
import { formatsFor } from './formats.ts'
import { createTemplates } from './templates.ts'
import { viewOf } from './view.ts'

const euro = (amount: number) => ({ amount, currency: 'EUR' })

/** An order with the members that mails use. */
const ORDER = {
  id: 'ord_1',
  number: 'PL-7KQ4-M2XD',
  status: 'shipped',
  items: [
    {
      id: 'itm_1',
      quantity: 2,
      product: { id: 'prd_1', name: 'Postcard' },
      variant: { id: 'var_1', sku: null, options: { size: 'A6' } },
      design: { id: 'dsn_1', name: 'Summer' },
      total: euro(500),
    },
  ],
  shippingAddress: { name: 'Ada', line1: 'Lindenstr. 12', postalCode: '10969', city: 'Berlin', country: 'DE' },
  amounts: { subtotal: euro(500), shipping: euro(0), tax: euro(80), total: euro(500) },
  taxIncluded: true,
  payment: { capturedAmount: euro(500), refundedAmount: euro(0), refunds: [] },
  shipments: [
    {
      id: 'shp_1',
      carrier: 'DHL',
      trackingNumber: '1',
      trackingUrl: 'https://parcels.example/1?a="b"',
      items: [{ itemId: 'itm_1', quantity: 2 }],
    },
    { id: 'shp_2', carrier: 'DHL', trackingNumber: '2', trackingUrl: 'javascript:alert(1)', items: [] },
    { id: 'shp_3', carrier: 'DHL', trackingNumber: null, trackingUrl: 'http://parcels.example/3', items: [] },
  ],
  timeline: [],
  availableActions: [],
  createdAt: '2026-03-01T23:59:00.000Z',
} as unknown as OrderBody

const SHOP = { name: 'Cards & Co', url: 'https://shop.example/en', color: '#ffcc00' }
const viewFor = (
  kind: 'order_received' | 'order_paid' | 'order_shipped',
  cause = 'order',
  locale: string | null = 'en',
) => viewOf(ORDER, { kind, cause }, { shop: SHOP, locale, languages: ['en', 'de'], hasLogo: false, edited: new Map() })

/** Creates templates with these files of the shop. */
async function templatesWith(t: TestContext, files: Record<string, string>) {
  const dir = await mkdtemp(join(tmpdir(), 'platen-mail-templates-'))
  t.after(() => rm(dir, { recursive: true }))
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text)
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  const render = createTemplates({ dir, log: createLog({ level: 'error', destination }) })
  return { render, lines }
}

test('links to parcels are http or https only', async () => {
  const render = createTemplates({ dir: undefined, log: createLog({ level: 'silent' }) })
  const [safe, unsafe, unnumbered] = await Promise.all(
    ['shp_1', 'shp_2', 'shp_3'].map((cause) => render(viewFor('order_shipped', cause))),
  )
  assert.match(safe?.html ?? '', /href="https:\/\/parcels.example\/1\?a=%22b%22"/)
  assert.match(unsafe?.html ?? '', /<strong>2<\/strong>/)
  assert.doesNotMatch(`${unsafe?.html} ${unsafe?.text}`, /javascript/)
  assert.match(unnumbered?.html ?? '', /href="http:\/\/parcels.example\/3"[^>]*>Track the parcel</)
})

test('the name, the URL and the colour of the shop appear, with a readable colour on the button', async () => {
  const render = createTemplates({ dir: undefined, log: createLog({ level: 'silent' }) })
  const { html, text } = await render(viewFor('order_paid'))
  assert.match(html, /href="https:\/\/shop.example\/en\/orders\/ord_1" style="[^"]*color: #000000/)
  assert.match(html, /background-color: #ffcc00/)
  assert.match(html, />Cards &amp; Co</)
  assert.match(text, /Cards & Co\nhttps:\/\/shop.example\/en\n$/)
  assert.deepEqual(['#000000', '#2444c8', '#ffffff'].map(onColor), ['#ffffff', '#ffffff', '#000000'])
})

test('templates of the shop replace those of the service, the most specific first', async (t) => {
  const { render, lines } = await templatesWith(t, {
    'order_paid.de.html.liquid': '<p>{{ heading }} {{ order.number }}</p>',
    'order_paid.html.liquid': '<p>{{ shop.name }}</p>{% render "footer.html.liquid" %}',
    'order_paid.subject.txt.liquid': 'Paid:\n  {{ order.number }}\n',
    'footer.html.liquid': '<p>Ada Ltd, {{ shop.name }}</p>',
    'mail.txt.liquid': '{{ shop.name }}',
  })
  const [german, english, received] = await Promise.all([
    render(viewFor('order_paid', 'order', 'de')),
    render(viewFor('order_paid')),
    render(viewFor('order_received')),
  ])
  assert.equal(german.html, '<p>Vielen Dank für Ihre Zahlung PL-7KQ4-M2XD</p>')
  assert.equal(english.html.trim(), '<p>Cards &amp; Co</p><p>Ada Ltd, Cards &amp; Co</p>')
  assert.deepEqual([english.subject, english.text], ['Paid: PL-7KQ4-M2XD', 'Cards & Co'])
  assert.match(received.html, /Thank you for your order.+<p>Ada Ltd, Cards &amp; Co<\/p>/s)
  assert.equal(received.subject, 'We received your order PL-7KQ4-M2XD')
  assert.deepEqual(lines, [])
})

for (const [what, template] of [
  ['a tag that is not closed', '{% if order %}'],
  ['a misspelled variable', '{{ order.nubmer }}'],
  ['an unknown filter', '{{ order.number | shout }}'],
  ['a missing part', '{% render "missing.html.liquid" %}'],
  ['a loop without end', '{% for a in (1..100000) %}{% for b in (1..100000) %}{{ b }}{% endfor %}{% endfor %}'],
  ['no content', ' \n'],
] as const) {
  test(`a template with ${what} is logged, and the mail has the content of the service`, async (t) => {
    const { render, lines } = await templatesWith(t, { 'order_paid.html.liquid': template })
    const { html, text } = await render(viewFor('order_paid'))
    assert.match(html, /Thank you for your payment/)
    assert.match(text, /Thank you for your payment/)
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /order_paid.html.liquid.*a mail template is broken/)
  })
}

test('all mails in a locale share its formats', (t) => {
  const made = t.mock.method(Intl, 'NumberFormat').mock
  for (let mail = 0; mail < 100; mail += 1) formatsFor('de-LI').money({ amount: mail, currency: 'CHF' })
  assert.equal(made.callCount(), 2)
})

test('amounts and dates have the formats of the region, and malformed locales give English', () => {
  const format = (locale: string | null) => {
    const { language, money, date } = formatsFor(locale)
    return [language, money(euro(123450)).replace(/\s/, ' '), date('2026-03-01T23:59:00.000Z')]
  }
  assert.deepEqual(format('de-DE'), ['de', '1.234,50 €', '1. März 2026'])
  assert.deepEqual(format('en-GB'), ['en', '€1,234.50', '1 March 2026'])
  for (const locale of [null, 'fr-FR', 'x', 'not a locale', 'ar-u-nu-arab']) {
    assert.deepEqual(format(locale), ['en', '€1,234.50', 'March 1, 2026'], String(locale))
  }
  assert.equal(formatsFor('de').money({ amount: 1500, currency: 'JPY' }).replace(/\s/, ' '), '1.500 ¥')
})
