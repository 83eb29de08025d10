import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startService } from '../../../test/harness.ts'
import { CARD } from '../../designs/factory.ts'

/** The public origin of the service in tests. */
const ORIGIN = 'http://platen.localhost'
const HOSTILE = '</script><img src=x onerror=alert(1)> & "quotes" $& $1'

async function start(t: TestContext, product: object = {}) {
  const service = await startService(t, { env: { PLATEN_SHOP_NAME: 'Prints & more' } })
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const body = { ...CARD, ...product }
  const { body: created } = await service.request('POST', '/products', { token, body })
  const page = (path: string, headers: Record<string, string> = {}) =>
    service.request('GET', `${service.origin}${path}`, { headers })
  return { service, token, product: created, page }
}

/** The content of the only element that starts so. */
const between = (html: string, start: string, end: string): string => html.split(start)[1]?.split(end)[0] ?? ''

test('the catalogue names products and prices without script, in the language of the reader', async (t) => {
  const { product, page } = await start(t, { categories: ['Cards'], descriptionMarkdown: '' })
  const english = await page('/')
  assert.equal(english.status, 200)
  assert.equal(english.headers.get('vary')?.includes('Accept-Language'), true)
  assert.match(english.text, new RegExp(`<a href="/products/${product.id}">`))
  assert.match(english.text, /<html lang="en" dir="ltr">/)
  const german = await page('/', { 'accept-language': 'fr;q=0.9, de-AT;q=0.8' })
  assert.match(german.text, /<html lang="de" dir="ltr">/)
  assert.match((await page('/?lang=de')).text, /<html lang="de" dir="ltr">/)
  assert.match((await page('/?category=Cards')).text, new RegExp(product.id))
  assert.doesNotMatch((await page('/?category=Mugs')).text, new RegExp(product.id))
  assert.match((await page('/?q=zzzz')).text, /name="robots" content="noindex"/)
  assert.equal((await page(`/?q=${'x'.repeat(500)}&category=`)).status, 200)
})

// Pages count against the limit of links, which is ten times as high.
test('searches and categories count against the limit of anonymous requests, and other pages do not', async (t) => {
  const env = { PLATEN_RATE_LIMITS: 'on', PLATEN_RATE_LIMIT_ANONYMOUS: '5', PLATEN_RATE_LIMIT_LINKS: '60' }
  const service = await startService(t, { env })
  const statuses = async (path: string) => {
    const all = Array.from({ length: 10 }, () => service.request('GET', `${service.origin}${path}`))
    return (await Promise.all(all)).map(({ status }) => status)
  }
  assert.equal((await statuses('/?q=card')).filter((status) => status === 429).length, 5)
  for (const query of ['?%71=card', '?q=', '?q=a&q=b', '?category=Cards'])
    assert.deepEqual(new Set(await statuses(`/${query}`)), new Set([429]))
  assert.deepEqual(new Set(await statuses('/?lang=de')), new Set([200]))
})

test('a product page has the price, the description and data for search engines', async (t) => {
  const { service, product, page } = await start(t, { description: 'A card', descriptionMarkdown: '**Thick** paper' })
  const { text, headers } = await page(`/products/${product.id}`)
  assert.equal(headers.get('content-security-policy'), "default-src 'self'")
  assert.match(text, /<title>[^<]+ – Prints &amp; more<\/title>/)
  assert.match(text, /<meta name="description" content="A card">/)
  assert.ok(text.includes(`<link rel="canonical" href="${ORIGIN}/products/${product.id}">`))
  assert.match(text, /<strong>Thick<\/strong> paper/)
  assert.match(text, /<table class="tiers">/)
  const data = JSON.parse(between(text, '<script type="application/ld+json">', '</script>'))
  const [tier] = product.variants[0].priceTiers
  assert.equal(data['@type'], 'Product')
  assert.equal(data.offers.highPrice, (tier.unitAmount / 100).toFixed(2))
  const pageData = JSON.parse(between(text, 'id="page-data">', '</script>'))
  assert.deepEqual(pageData.product, product)
  const { body: methods } = await service.request('GET', `/shipping-methods?currency=${product.currency}`)
  assert.deepEqual(pageData.shippingMethods, methods.data)
})

test('a product page states times and prices of delivery, as far as methods of the shop have them', async (t) => {
  const { service, token, product, page } = await start(t)
  const { body: all } = await service.request('GET', '/shipping-settings', { token })
  for (const { id } of all.data) await service.request('DELETE', `/shipping-methods/${id}`, { token })
  const path = `/products/${product.id}`
  const without = (await page(path)).text
  assert.doesNotMatch(without, /class="delivery"|OfferShippingDetails/)
  const prices = (amount: number) => [{ amount, currency: product.currency }]
  const zones = [
    { countries: ['DE', 'AT'], rates: [{ maxWeightGrams: 500, prices: prices(490) }, { prices: prices(890) }] },
    { countries: ['*'], rates: [{ prices: prices(1990) }] },
  ]
  const fast = {
    name: 'Fast <b>',
    estimatedDays: { min: 1, max: 1 },
    zones: [{ countries: ['DE'], rates: [{ prices: [{ amount: 1, currency: 'XAF' }] }] }],
  }
  for (const body of [{ name: 'Post & co', estimatedDays: { min: 2, max: 4 }, zones }, fast])
    assert.equal((await service.request('POST', '/shipping-methods', { token, body })).status, 201)
  const { text } = await page(path)
  assert.match(text, /<dt>Post &amp; co <span class="note">2–4 working days<\/span><\/dt><dd>from [^<]*4\.90<\/dd>/)
  assert.doesNotMatch(text, /Fast/)
  assert.match((await page(`${path}?lang=de`)).text, /2–4 Werktage<\/span><\/dt><dd>ab 4,90/)
  const { offers } = JSON.parse(between(text, '<script type="application/ld+json">', '</script>'))
  assert.deepEqual(offers.shippingDetails, [
    {
      '@type': 'OfferShippingDetails',
      shippingDestination: { '@type': 'DefinedRegion', addressCountry: ['DE', 'AT'] },
      shippingRate: { '@type': 'MonetaryAmount', minValue: '4.90', maxValue: '8.90', currency: product.currency },
      deliveryTime: {
        '@type': 'ShippingDeliveryTime',
        transitTime: { '@type': 'QuantitativeValue', minValue: 2, maxValue: 4, unitCode: 'DAY' },
      },
    },
  ])
})

test('a product with very many prices states the lowest and the highest', async (t) => {
  const values = Array.from({ length: 25 }, (_, n) => `v${n}`)
  const variants = values.map((value, n) => ({
    ...{ sku: `S${n}`, weightGrams: 1, options: { Kind: value } },
    priceTiers: [
      { minQuantity: 1, unitAmount: 1_000 + n },
      { minQuantity: 10, unitAmount: 500 - n },
    ],
  }))
  const { product, page } = await start(t, { options: [{ name: 'Kind', values }], variants, currency: 'EUR' })
  const { text } = await page(`/products/${product.id}`)
  assert.match(text, /<p>€4\.76 to €10\.24 each<\/p>/)
  assert.doesNotMatch(text, /<table class="tiers">/)
})

test('texts of a product cannot leave their place in the page', async (t) => {
  const { product, page } = await start(t, {
    name: HOSTILE,
    description: HOSTILE,
    descriptionMarkdown: `${HOSTILE} [link](javascript:alert(1)) ![x](https://e.example/x.png)`,
    categories: ['"><b>x'],
  })
  for (const path of ['/', `/products/${product.id}`]) {
    const { text } = await page(path)
    const markup = text.replaceAll(/<script type="application\/[^<]*<\/script>/g, '')
    assert.doesNotMatch(markup, /<img src=x|<b>x|href="javascript:|<img[^>]*e\.example/)
    assert.equal(markup.split('<script').length, 2)
    const data = JSON.parse(between(text, 'id="page-data">', '</script>'))
    assert.equal((data.product ?? data.catalogue.page.data[0]).name, HOSTILE)
  }
})

test('a product that is unknown is 404, and an archived one is not indexed', async (t) => {
  const { service, token, product, page } = await start(t)
  const missing = await page('/products/prd_00000000000000000000000000')
  assert.deepEqual([missing.status, /<div id="app">/.test(missing.text)], [404, true])
  const again = await page('/products/prd_00000000000000000000000000', { 'if-none-match': '*' })
  assert.equal(again.status, 404)
  await service.request('POST', `/products/${product.id}/archive`, { token })
  const archived = await page(`/products/${product.id}`)
  assert.equal(archived.status, 200)
  assert.match(archived.text, /name="robots" content="noindex"/)
  assert.doesNotMatch((await page('/sitemap.xml')).text, new RegExp(product.id))
})

test('the sitemap lists the products, and robots.txt names it', async (t) => {
  const { product, page } = await start(t)
  const { text, headers } = await page('/sitemap.xml')
  assert.match(headers.get('content-type') ?? '', /^application\/xml/)
  assert.ok(text.includes(`<loc>${ORIGIN}/products/${product.id}</loc>`))
  assert.ok((await page('/robots.txt')).text.includes(`Sitemap: ${ORIGIN}/sitemap.xml`))
})

test('one reading of the products serves all requests for the sitemap of the next minute', async (t) => {
  const { service, token, page } = await start(t)
  const first = await page('/sitemap.xml')
  await service.request('POST', '/products', { token, body: CARD })
  const second = await page('/sitemap.xml')
  assert.equal(second.text, first.text)
})

test('pages that only the browser can show are not indexed', async (t) => {
  const { page } = await start(t)
  const { status, text, headers } = await page('/designs')
  assert.deepEqual([status, text.includes('id="readable"'), text.includes('content="noindex"')], [200, false, true])
  const etags = await Promise.all(
    ['/designs', '/designs?lang=de', '/cart'].map(async (path) => (await page(path)).headers.get('etag')),
  )
  assert.deepEqual(
    etags.map((etag) => etag === headers.get('etag')),
    [true, false, true],
  )
})
