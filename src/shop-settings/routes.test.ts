import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { createDatabase, startService, type TestService, temporaryDir } from '../../test/harness.ts'
import { until } from '../../test/lib/until.ts'
import { makePng, upload } from '../assets/factory.ts'

async function start(t: TestContext, env: Record<string, string> = {}) {
  const service = await startService(t, { env })
  const { accessToken: token } = await service.signUp({ role: 'admin' })
  const read = async () => (await service.request('GET', '/shop-settings')).body
  const change = (body: object, headers = {}) => service.request('PATCH', '/shop-settings', { token, body, headers })
  return { service, token, read, change }
}

const page = ({ request, origin }: TestService, path: string, headers: Record<string, string> = {}) =>
  request('GET', `${origin}${path}`, { headers })

test('the environment applies until an administrator changes a setting, and again after null', async (t) => {
  const { service, token, read, change } = await start(t, { PLATEN_SHOP_NAME: 'Prints', PLATEN_SHOP_COLOR: '#c8322b' })
  const before = await read()
  assert.deepEqual(
    [before.name, before.accentColor, before.languages, before.supportEmail, before.logo, before.customized],
    ['Prints', '#c8322b', ['en', 'de'], null, null, []],
  )
  const changes = {
    name: ' Ada’s Cards ',
    accentColor: '#00AA55',
    languages: ['de'],
    supportEmail: 'hello@ada.example',
  }
  const { status, body, headers } = await change(changes)
  assert.equal(status, 200)
  assert.deepEqual(
    [body.name, body.accentColor, body.languages, body.supportEmail],
    ['Ada’s Cards', '#00aa55', ['de'], 'hello@ada.example'],
  )
  assert.deepEqual(body.customized, ['name', 'supportEmail', 'languages', 'accentColor'])
  assert.deepEqual([body.revision, headers.get('etag'), await read()], [1, '"1"', body])
  const again = await change({ name: null, accentColor: null, languages: null, supportEmail: null })
  const { revision, updatedAt, ...present } = again.body
  const { revision: _, updatedAt: never, ...first } = before
  assert.deepEqual([present, revision, never], [first, 2, null])
  assert.match(updatedAt, /^20/)

  const events = await service.request('GET', '/security-events?type=shop_settings_changed', { token })
  assert.deepEqual(
    events.body.data.map(({ details }: { details: object }) => details),
    [
      { setting: 'shop', changed: 'accentColor, languages, name, supportEmail', registration: 'open' },
      { setting: 'shop', changed: 'accentColor, languages, name, supportEmail', registration: 'open' },
    ],
  )
})

test('pages have the present name, colour, languages and email address', async (t) => {
  const { service, token, change } = await start(t, { PLATEN_SHOP_NAME: 'Prints', PLATEN_SHOP_COLOR: '#c8322b' })
  const { body: product } = await service.request('POST', '/products', { token, body: CARD })
  const paths = [
    '/',
    `/products/${product.id}`,
    '/cart',
    '/problems',
    '/pages/none',
    '/console',
    '/developers',
    '/docs',
  ]
  for (const path of paths) assert.match((await page(service, path)).text, /Prints/, path)
  const themeOf = async (path = '/') => /\/theme-\w+\.css/.exec((await page(service, path)).text)?.[0] ?? ''
  const earlier = await themeOf()
  await change({ name: 'A & B', accentColor: '#00aa55', languages: ['de'], supportEmail: 'hello@ada.example' })
  for (const path of paths) {
    const { text } = await page(service, path)
    assert.ok(text.includes('A &amp; B') && !text.includes('Prints'), path)
  }
  const theme = await themeOf()
  assert.match((await page(service, theme)).text, /--pl-fill:light-dark\(#00aa55, #00aa55\)/)
  assert.equal(await themeOf('/console'), theme)
  // Browsers still show pages that name it.
  assert.match((await page(service, earlier)).text, /#c8322b/)
  for (const headers of [{ 'accept-language': 'en' }, { 'accept-language': 'fr' }]) {
    assert.match((await page(service, '/', headers)).text, /<html lang="de"/)
  }
  assert.match((await page(service, '/?lang=en')).text, /<html lang="de".*<meta name="platen-languages" content="de"/s)
  assert.match((await page(service, '/')).text, /<a href="mailto:hello@ada.example">Fragen\?/)
})

const CARD = {
  name: 'Card',
  currency: 'EUR',
  printAreas: [
    {
      ...{ id: 'front', name: 'Front', widthMm: 85, heightMm: 55 },
      ...{ bleedMm: 3, safeMarginMm: 3, targetDpi: 300, required: true },
    },
  ],
  variants: [{ sku: 'ONE', weightGrams: 5, priceTiers: [{ minQuantity: 1, unitAmount: 100 }] }],
}

test('an uploaded logo is on pages and in the API, and stays when its asset is deleted', async (t) => {
  const { service, token, change } = await start(t)
  const background = { r: 200, g: 50, b: 43, alpha: 0.5 }
  const picture = await sharp({ create: { width: 800, height: 200, channels: 4, background } })
    .png()
    .toBuffer()
  const { body: asset } = await upload(service, token, picture)
  const { body } = await change({ logoAssetId: asset.id })
  assert.deepEqual([body.logo.width, body.logo.height, body.customized], [800, 200, ['logo']])
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token })).status, 204)
  const html = (await page(service, '/')).text
  const [, url = ''] = /<img class="shop-logo" src="([^"]+)" width="160" height="40"/.exec(html) ?? []
  assert.equal(url, `${body.logo.url}?width=640`)
  const logo = await fetch(`${service.origin}${url}`)
  assert.deepEqual(
    ['content-type', 'cache-control', 'cross-origin-resource-policy'].map((name) => logo.headers.get(name)),
    ['image/webp', 'public, max-age=31536000, immutable', 'cross-origin'],
  )
  const { width, hasAlpha } = await sharp(Buffer.from(await logo.arrayBuffer())).metadata()
  assert.deepEqual([width, hasAlpha], [640, true])
  const known = { 'if-none-match': logo.headers.get('etag') ?? '' }
  assert.equal((await page(service, url, known)).status, 304)
  assert.equal((await page(service, `${body.logo.url}?width=641`)).status, 400)

  await change({ logoAssetId: null })
  assert.equal((await page(service, url)).status, 404)
  assert.doesNotMatch((await page(service, '/')).text, /class="shop-logo"/)
})

// Otherwise the logo would show a stranger's upload to everyone.
test('a logo is an image of the administrator, which a key must be allowed to read', async (t) => {
  const { service, token, read, change } = await start(t)
  const { accessToken: customer } = await service.signUp()
  const { body: foreign } = await upload(service, customer, await makePng('#0000ff'))
  for (const logoAssetId of [foreign.id, 'ast_none']) {
    const { status, body } = await change({ logoAssetId, name: 'New' })
    assert.deepEqual([status, body.code, body.errors[0].pointer], [422, 'shop_settings_invalid', '/logoAssetId'])
  }
  assert.equal((await read()).name, 'Platen')
  const { body: own } = await upload(service, token, await makePng('#00ff00'))
  const changeWith = async (permissions: string[]) => {
    const { body } = await service.request('POST', '/api/api-keys', { token, body: { name: 'Shop', permissions } })
    return service.request('PATCH', '/shop-settings', { token: body.key, body: { logoAssetId: own.id } })
  }
  for (const [permissions, missing] of [
    [['write', 'read'], 'system:write'],
    [['system:write'], 'assets:read'],
  ] as const) {
    const { status, body } = await changeWith([...permissions])
    assert.deepEqual([status, body.permission], [403, missing])
  }
  assert.equal((await changeWith(['system:write', 'assets:read'])).status, 200)
})

test('only administrators change the shop, and only the version that they have seen', async (t) => {
  const { service, change } = await start(t)
  for (const role of ['customer', 'operator'] as const) {
    const { accessToken: token } = await service.signUp({ role })
    assert.equal((await service.request('PATCH', '/shop-settings', { token, body: { name: 'X' } })).status, 403)
  }
  assert.equal((await service.request('PATCH', '/shop-settings', { body: { name: 'X' } })).status, 401)
  assert.equal((await change({ name: 'First' }, { 'if-match': '"0"' })).status, 200)
  const { status, body, headers } = await change({ name: 'Second' }, { 'if-match': '"0"' })
  assert.deepEqual([status, body.code, body.shopSettings.name], [412, 'precondition_failed', 'First'])
  assert.equal(headers.get('etag'), '"1"')
})

test('values that mails and pages cannot have are refused', async (t) => {
  const { change } = await start(t)
  const refused: object[] = [
    {},
    { name: '' },
    { name: '  ' },
    { name: 'A\nB' },
    { name: 'x'.repeat(81) },
    { supportEmail: 'none' },
    { languages: [] },
    { languages: ['fr'] },
    { languages: ['de', 'de'] },
    { accentColor: 'red' },
    { accentColor: '#12345678' },
    { registration: 'all' },
    { revision: 5 },
  ]
  for (const body of refused) assert.equal((await change(body)).status, 400, JSON.stringify(body))
})

// Yellow cannot be read on white, and dark blue cannot be read on the dark scheme.
test('the colours of texts are as dark or as light as reading requires, also before the change', async (t) => {
  const { service, read, change } = await start(t)
  for (const color of ['#ffe600', '#14143c']) {
    const { status, body } = await service.request(
      'GET',
      `/shop-settings/colors?accentColor=${encodeURIComponent(color)}`,
    )
    assert.equal(status, 200)
    const { light, dark } = body
    assert.deepEqual([light.isAdjusted, dark.isAdjusted], color === '#ffe600' ? [true, false] : [false, true], color)
    for (const { accent, background, fill, onFill } of [light, dark]) {
      assert.ok(contrast(accent, background) >= 4.5, `${color}: ${accent} on ${background}`)
      assert.ok(contrast(onFill, fill) >= 4.5, `${color}: ${onFill} on ${fill}`)
    }
    await change({ accentColor: color })
    assert.deepEqual((await read()).colors, body)
  }
})

/** WCAG 2.2, independent of the code under test. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
      const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

test('another node shows a change, and a restarted one too', async (t) => {
  const [database, dataDir] = [await createDatabase(t), await temporaryDir(t)]
  const here = await startService(t, { database, dataDir })
  const there = await startService(t, { database, dataDir })
  const { accessToken: token } = await here.signUp({ role: 'admin' })
  assert.match((await page(there, '/cart')).text, /<title>Platen</)
  await here.request('PATCH', '/shop-settings', { token, body: { name: 'Cards' } })
  await until('the other node', async () => (await page(there, '/cart')).text.includes('<title>Cards<'))
  const later = await startService(t, { database, dataDir })
  assert.match((await page(later, '/cart')).text, /<title>Cards</)
})

test('registration follows the setting at once, for passwords, invitations and pages', async (t) => {
  const { service, token, read, change } = await start(t, { PLATEN_REGISTRATION: 'invitation' })
  const register = async () => {
    const body = { email: `ada${randomUUID()}@example.com`, password: 'a quiet lake at dusk' }
    const answer = await service.request('POST', '/api/auth/register', { body })
    return answer.body.code ?? answer.status
  }
  const invite = async () => {
    const body = { email: `ada${randomUUID()}@example.com`, role: 'customer', locale: 'en' }
    const answer = await service.request('POST', '/invitations', { token, body })
    return answer.body.code ?? answer.status
  }
  const offers = async () => /isRegistrationOpen&quot;:true/.test((await page(service, '/register')).text)
  assert.deepEqual([await register(), await invite(), await offers()], ['registration_closed', 201, false])
  await change({ registration: 'open' })
  assert.deepEqual([await register(), await invite(), await offers()], [202, 201, true])
  await change({ registration: 'closed' })
  assert.deepEqual(
    [await register(), await invite(), await offers()],
    ['registration_closed', 'registration_closed', false],
  )
  const { registration, customized } = await read()
  assert.deepEqual([registration, customized], ['closed', ['registration']])
  await change({ registration: null })
  assert.deepEqual([await register(), (await read()).registration], ['registration_closed', 'invitation'])
})
