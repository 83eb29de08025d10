import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { startService } from '../../test/harness.ts'
import { CARD, documentOf, textLayer } from '../designs/factory.ts'

interface Entry {
  id: string
  subjectId: string
  subjectName: string | null
  revision: number | null
  type: string
  actor: { userId: string; email: string | null; apiKey?: { id: string; name: string | null } }
  changes: { pointer: string; before?: unknown; after?: unknown }[]
}

async function start(t: TestContext) {
  const service = await startService(t)
  const admin = await service.signUp({ role: 'admin' })
  const token = admin.accessToken
  const send = async (method: string, path: string, body?: object) => {
    const answer = await service.request(method, path, { token, ...(body === undefined ? {} : { body }) })
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer.body
  }
  const records = async (subject: string, query = ''): Promise<Entry[]> =>
    (await send('GET', `/change-records?subject=${subject}${query}`)).data
  const changesOf = async (subject: string, query = '') =>
    (await records(subject, query)).map(({ type, changes }) => [type, changes])
  return { service, admin, token, send, records, changesOf }
}

test('the records of templates name each change, with the values before and after', async (t) => {
  const { admin, send, records, changesOf } = await start(t)
  const product = await send('POST', '/products', CARD)
  const document = documentOf([textLayer('Ada')])
  const draft = await send('POST', '/designs', { productId: product.id, variantId: product.variants[0].id, document })
  const template = await send('POST', '/templates', { designId: draft.id, name: 'Autumn' })
  const path = `/templates/${template.id}`
  await send('PATCH', path, { name: 'Leaves', categories: ['Seasons'] })
  await send('PATCH', path, { name: 'Leaves' })
  await send('POST', `${path}/archive`)
  await send('POST', `${path}/archive`)
  await send('POST', `${path}/restore`)
  assert.deepEqual(await changesOf('template', `&subjectId=${template.id}`), [
    ['restored', [{ pointer: '/status', before: 'archived', after: 'active' }]],
    ['archived', [{ pointer: '/status', before: 'active', after: 'archived' }]],
    [
      'changed',
      [
        { pointer: '/name', before: 'Autumn', after: 'Leaves' },
        { pointer: '/categories', before: [], after: ['Seasons'] },
      ],
    ],
    [
      'created',
      [
        { pointer: '/name', after: 'Autumn' },
        { pointer: '/productId', after: product.id },
        { pointer: '/status', after: 'active' },
        { pointer: '/categories', after: [] },
      ],
    ],
  ])
  const [last] = await records('template')
  assert.deepEqual(
    [last?.subjectId, last?.subjectName, last?.revision, last?.actor],
    [template.id, 'Leaves', null, { userId: admin.userId, name: null, email: admin.email }],
  )
})

test('the records of a colour profile say who uploaded it, and what a deleted one was', async (t) => {
  const { service, token, send, records } = await start(t)
  const picture = sharp({ create: { width: 1, height: 1, channels: 3, background: 'red' } }).withIccProfile('cmyk')
  const { icc: body } = await sharp(await picture.tiff().toBuffer()).metadata()
  assert.ok(body)
  const headers = { 'content-type': 'application/vnd.iccprofile' }
  const add = () => service.request('POST', '/color-profiles', { token, body, headers })
  const { body: profile } = await add()
  assert.equal((await add()).status, 200, 'the same bytes again')
  await send('DELETE', `/color-profiles/${profile.id}`)
  const [deleted, created, ...others] = await records('color_profile', `&subjectId=${profile.id}`)
  assert.deepEqual(
    [created?.type, created?.changes.map(({ pointer, after }) => [pointer, after])],
    [
      'created',
      [
        ['/description', profile.description],
        ['/colorSpace', 'cmyk'],
        ['/bytes', profile.bytes],
        ['/sha256', profile.sha256],
      ],
    ],
  )
  assert.deepEqual(
    [deleted?.type, deleted?.subjectName, deleted?.changes.map(({ before }) => before)],
    ['deleted', profile.description, [profile.description, 'cmyk', profile.bytes, profile.sha256]],
  )
  assert.deepEqual(others, [])
})

test('the records of a shipping method name its changed zones by their position', async (t) => {
  const { send, changesOf } = await start(t)
  const zone = (countries: string[], amount: number) => ({
    countries,
    rates: [{ prices: [{ amount, currency: 'EUR' }] }],
  })
  const [germany, austria] = [zone(['DE'], 490), zone(['AT'], 990)]
  const method = { name: 'Courier', estimatedDays: { min: 1, max: 2 }, zones: [germany, austria] }
  const { id, position } = await send('POST', '/shipping-methods', method)
  const path = `/shipping-methods/${id}`
  const dearer = zone(['DE'], 590)
  await send('PATCH', path, { estimatedDays: { min: 2, max: 3 }, zones: [dearer] })
  await send('DELETE', path)
  await send('DELETE', path)
  const [deleted, changed, created, ...others] = await changesOf('shipping_method', `&subjectId=${id}`)
  assert.deepEqual(created, [
    'created',
    [
      { pointer: '/name', after: 'Courier' },
      { pointer: '/estimatedDays', after: { min: 1, max: 2 } },
      { pointer: '/active', after: true },
      { pointer: '/position', after: position },
      { pointer: '/zones/0', after: germany },
      { pointer: '/zones/1', after: austria },
    ],
  ])
  assert.deepEqual(changed, [
    'changed',
    [
      { pointer: '/estimatedDays', before: { min: 1, max: 2 }, after: { min: 2, max: 3 } },
      { pointer: '/zones/1', before: austria },
      { pointer: '/zones/0/rates', before: germany.rates, after: dearer.rates },
    ],
  ])
  assert.deepEqual(deleted, [
    'deleted',
    [
      { pointer: '/name', before: 'Courier' },
      { pointer: '/estimatedDays', before: { min: 2, max: 3 } },
      { pointer: '/active', before: true },
      { pointer: '/position', before: position },
      { pointer: '/zones/0', before: dearer },
    ],
  ])
  assert.deepEqual(others, [])
})

test('the records of taxes name the changed rates by country and region', async (t) => {
  const { service, send, changesOf } = await start(t)
  await service.db.deleteFrom('tax_settings').execute()
  const [germany, california] = [
    { country: 'DE', basisPoints: 1_900 },
    { country: 'US', region: 'CA', basisPoints: 725 },
  ]
  await send('PUT', '/tax-settings', { taxIncluded: true, rates: [germany, california] })
  await send('PUT', '/tax-settings', { taxIncluded: true, rates: [germany, california] })
  await send('PUT', '/tax-settings', { taxIncluded: false, rates: [{ ...california, basisPoints: 750 }] })
  assert.deepEqual(await changesOf('tax_settings'), [
    [
      'changed',
      [
        { pointer: '/taxIncluded', before: true, after: false },
        { pointer: '/rates/DE', before: germany },
        { pointer: '/rates/US-CA/basisPoints', before: 725, after: 750 },
      ],
    ],
    [
      'changed',
      [
        { pointer: '/taxIncluded', after: true },
        { pointer: '/rates/DE', after: germany },
        { pointer: '/rates/US-CA', after: california },
      ],
    ],
  ])
})

// Otherwise both would record what the first of them has replaced as the values before.
test('a change of taxes that waited for another one records the values after it', async (t) => {
  const { service, send, changesOf } = await start(t)
  await service.db.deleteFrom('tax_settings').execute()
  const rates = [{ country: 'DE', basisPoints: 1_900 }]
  const sent: Promise<unknown>[] = []
  await service.db.transaction().execute(async (trx) => {
    const row = { tax_included: true, rates: JSON.stringify(rates), updated_at: service.clock.now() }
    await trx.insertInto('tax_settings').values(row).execute()
    sent.push(send('PUT', '/tax-settings', { taxIncluded: false, rates }))
    await service.untilBlocked(1)
  })
  await Promise.all(sent)
  assert.deepEqual(await changesOf('tax_settings'), [
    ['changed', [{ pointer: '/taxIncluded', before: true, after: false }]],
  ])
})

test('the records of a mail text say what was written, and that the text of the service applies again', async (t) => {
  const { send, records } = await start(t)
  await send('PUT', '/mail-texts/order_paid/de', { subject: 'Danke', body: 'Hallo\nAda' })
  await send('PUT', '/mail-texts/order_paid/de', { subject: 'Danke', body: 'Hallo' })
  await send('DELETE', '/mail-texts/order_paid/de')
  await send('PUT', '/mail-texts/order_paid/en', { subject: 'Thanks', body: 'Hello' })
  const written = await records('mail_text', '&subjectId=order_paid/de')
  assert.deepEqual(
    written.map(({ subjectId, revision, changes }) => [subjectId, revision, changes]),
    [
      [
        ...['order_paid/de', 3],
        [
          { pointer: '/subject', before: 'Danke' },
          { pointer: '/body', before: 'Hallo' },
        ],
      ],
      ['order_paid/de', 2, [{ pointer: '/body', before: 'Hallo\nAda', after: 'Hallo' }]],
      [
        ...['order_paid/de', 1],
        [
          { pointer: '/subject', after: 'Danke' },
          { pointer: '/body', after: 'Hallo\nAda' },
        ],
      ],
    ],
  )
  assert.equal((await records('mail_text')).length, 4)
})

test('the records of the shop and of mail texts need the permission to read settings of the system', async (t) => {
  const { service, send, records } = await start(t)
  await send('PATCH', '/shop-settings', { name: 'Ada’s Cards', accentColor: '#00AA55' })
  await send('PATCH', '/shop-settings', { name: null })
  const keyWith = async (permissions: string[]) =>
    (await send('POST', '/api/api-keys', { name: 'Prices', permissions })).key
  const read = (sent: string, subject: string) =>
    service.request('GET', `/change-records?subject=${subject}`, { token: sent })
  const prices = await keyWith(['products:read'])
  assert.equal((await read(prices, 'tax_settings')).status, 200)
  for (const subject of ['shop', 'mail_text']) {
    const refused = await read(prices, subject)
    assert.deepEqual([refused.status, refused.body.permission], [403, 'system:read'])
  }
  assert.equal((await read(await keyWith(['products:read', 'system:read']), 'shop')).status, 200)
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  for (const subject of ['template', 'shop']) assert.equal((await read(operator, subject)).status, 403)

  const { key } = await send('POST', '/api/api-keys', { name: 'Look', permissions: ['system:write'] })
  await service.request('PATCH', '/shop-settings', { token: key, body: { languages: ['de'] } })
  const [german, unnamed, named] = await records('shop')
  assert.deepEqual(
    [german?.actor.apiKey?.name, german?.changes],
    ['Look', [{ pointer: '/languages', before: null, after: ['de'] }]],
  )
  assert.deepEqual(unnamed?.changes, [{ pointer: '/name', before: 'Ada’s Cards', after: null }])
  assert.deepEqual([named?.subjectId, named?.revision, named?.changes.length], ['shop', 1, 2])
})

test('pages of records go on where the last one ended, and unknown subjects are refused', async (t) => {
  const { service, token, send } = await start(t)
  const { id } = await send('POST', '/products', CARD)
  for (const name of ['One', 'Two', 'Three']) await send('PATCH', `/products/${id}`, { name })
  const page = (cursor = '') => send('GET', `/change-records?subject=product&subjectId=${id}&limit=3${cursor}`)
  const first = await page()
  const second = await page(`&cursor=${first.nextCursor}`)
  assert.deepEqual(
    [...first.data, ...second.data].map(({ revision, subjectName }) => [revision, subjectName]),
    [
      [4, 'Three'],
      [3, 'Two'],
      [2, 'One'],
      [1, CARD.name],
    ],
  )
  assert.equal(second.nextCursor, null)
  for (const query of ['', '?subject=order']) {
    assert.equal((await service.request('GET', `/change-records${query}`, { token })).status, 400)
  }
})

// During a rollout, processes of the previous release change products, too.
test('records that a process of the previous release writes are part of the history', async (t) => {
  const { service, admin, send, records } = await start(t)
  const { id } = await send('POST', '/products', CARD)
  await sql`
    insert into product_changes (id, product_id, revision, type, actor_id, fields, created_at)
    values ('pch_01h455vb4pex5vsknk084sn02q', ${id}, 2, 'changed', ${admin.userId}, '[{"pointer":"/sort"}]', now())
  `.execute(service.db)
  assert.deepEqual(
    (await records('product', `&subjectId=${id}`)).map(({ revision, subjectName }) => [revision, subjectName]),
    [
      [2, CARD.name],
      [1, CARD.name],
    ],
  )
})
