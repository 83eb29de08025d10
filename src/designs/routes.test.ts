import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sharedChecker } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { PATIENCE_MS } from '../../test/lib/until.ts'
import type { SignedUp } from '../../test/people.ts'
import { customerIdOf } from '../auth/index.ts'
import { changeProduct, createProduct } from '../products/change-product.ts'
import type { Checker } from '../rendering/index.ts'
import { CARD, documentOf, HELLO, startSignedIn, textLayer } from './factory.ts'

test('a new design is a checked draft with every default filled in', async (t) => {
  const { service, token, userId, product, variantId, create } = await startSignedIn(t)
  const { status, headers, body } = await create({ document: HELLO, metadata: { customer: 7, vip: true } })
  assert.equal(status, 201)
  assert.deepEqual([headers.get('etag'), headers.get('location')], ['"1"', `/v1/designs/${body.id}`])
  const { id, document, preflight, createdAt, updatedAt, ...rest } = body
  assert.deepEqual(rest, {
    customerId: customerIdOf(userId),
    status: 'draft',
    revision: 1,
    name: 'Business card',
    productId: product.id,
    variantId,
    finalization: null,
    lastFinalizationError: null,
    metadata: { customer: 7, vip: true },
    externalReference: null,
    templateId: null,
  })
  assert.equal(createdAt, updatedAt)
  assert.deepEqual(preflight, { ok: true, issues: [] })
  const [layer] = document.placements[0].layers
  assert.deepEqual([layer.rotation, layer.opacity, layer.fontWeight, layer.color], [0, 1, 400, '#000000'])
  // Reading returns stored JSON text, which must equal the response of the creation.
  assert.deepEqual((await service.request('GET', `/designs/${id}`, { token })).body, body)
})

test('a draft may be empty, and its report lists what is missing', async (t) => {
  const { create } = await startSignedIn(t)
  const { status, body } = await create()
  assert.equal(status, 201)
  assert.deepEqual(body.document, { version: 1, placements: [] })
  assert.equal(body.preflight.ok, false)
  assert.equal(body.preflight.issues[0].code, 'print_area_empty')
})

test('a body that violates the schema is refused with a pointer', async (t) => {
  const { create } = await startSignedIn(t)
  const layer = textLayer('x')
  const cases: [members: object, pointer: string][] = [
    [{ colour: 'red' }, '/colour'],
    [{ status: 'finalized' }, '/status'],
    [{ name: '' }, '/name'],
    [{ metadata: { nested: { a: 1 } } }, '/metadata/nested'],
    [{ metadata: { ['k'.repeat(65)]: 1 } }, `/metadata/${'k'.repeat(65)}`],
    [{ document: { version: 2, placements: [] } }, '/document/version'],
    [{ document: documentOf([{ ...layer, color: 'red' } as never]) }, '/document/placements/0/layers/0/color'],
    [{ document: documentOf([{ ...layer, fontSizePt: '12' } as never]) }, '/document/placements/0/layers/0/fontSizePt'],
    [{ document: documentOf([{ ...layer, glow: 1 } as never]) }, '/document/placements/0/layers/0/glow'],
  ]
  for (const [members, pointer] of cases) {
    const { status, body } = await create(members)
    assert.deepEqual([status, body.code], [400, 'validation_failed'], pointer)
    assert.ok(
      body.errors.some((error: { pointer: string }) => error.pointer === pointer),
      `${pointer}: ${JSON.stringify(body.errors)}`,
    )
  }
})

test('a name is one line of text in creations, changes and duplicates', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create()
  const path = `/designs/${design.id}`
  const change = (name: string) => service.request('PATCH', path, { token, body: { name } })
  for (const name of ['a\u0007b', 'a\nb', 'a\u0085b', 'a\u2028b', 'a\u2029b']) {
    for (const refused of [await create({ name }), await change(name)]) {
      assert.deepEqual([refused.status, refused.body.code], [400, 'validation_failed'], JSON.stringify(name))
      assert.equal(refused.body.errors[0].pointer, '/name')
    }
  }
  assert.equal((await change('Été 日本 🎉')).body.name, 'Été 日本 🎉')
  await service.db.updateTable('designs').set({ name: 'old\u0007name\n' }).where('id', '=', design.id).execute()
  assert.equal((await service.request('POST', `${path}/duplicate`, { token })).body.name, 'old name ')
})

test('faults that a schema cannot detect are refused with 422 and a pointer', async (t) => {
  const { create, variantId, service, product } = await startSignedIn(t)
  const other = await service.db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
  const cases: [members: object, code: string, pointer: string][] = [
    [{ productId: newId('product') }, 'product_not_found', '/productId'],
    [{ productId: 'nonsense' }, 'product_not_found', '/productId'],
    [{ variantId: newId('variant') }, 'variant_not_found', '/variantId'],
    [{ variantId: other.variants[0]?.id }, 'variant_not_found', '/variantId'],
  ]
  for (const [members, code, pointer] of cases) {
    const { status, body } = await create({ productId: product.id, variantId, ...members })
    assert.deepEqual([status, body.code, body.errors[0].pointer], [422, code, pointer])
  }
})

test('a document that contradicts itself is refused with 400 and a pointer', async (t) => {
  const { create } = await startSignedIn(t)
  const twice = documentOf([textLayer('a'), textLayer('b')])
  const { status, body } = await create({ document: twice })
  assert.deepEqual(
    [status, body.code, body.errors[0].pointer],
    [400, 'document_invalid', '/document/placements/0/layers/1/id'],
  )
})

test('too many dashes are reported with the other faults of the document, on creation and on change', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const box = { x: 0, y: 0, width: 40, height: 40 }
  const stroke = { color: '#000000', widthMm: 1, dashMm: [0.001] }
  const path = { ...box, id: 'path', type: 'shape' as const, shape: 'path' as const, path: 'M0 0H50V50Z', stroke }
  const document = documentOf([textLayer('a', { id: 'path' }), path])
  const refused = await create({ document })
  const draft = await create({ document: HELLO })
  const url = `/designs/${draft.body.id}`
  const refusedChange = await service.request('PATCH', url, { token, body: { document } })
  for (const { status, body } of [refused, refusedChange]) {
    assert.deepEqual([status, body.code], [400, 'document_invalid'])
    assert.deepEqual(
      body.errors.map(({ code, pointer }: { code: string; pointer: string }) => `${code} ${pointer}`),
      [
        'duplicate_layer_id /document/placements/0/layers/1/id',
        'too_many_dashes /document/placements/0/layers/1/stroke/dashMm',
      ],
    )
  }
})

test('a repeated creation with the same Idempotency-Key creates one design', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const headers = { 'idempotency-key': 'one-design' }
  const first = await create({ document: HELLO }, headers)
  const again = await create({ document: HELLO }, headers)
  assert.deepEqual([again.status, again.body], [201, first.body])
  assert.equal(again.headers.get('idempotent-replayed'), 'true')
  assert.equal((await service.request('GET', '/designs', { token })).body.data.length, 1)
})

test('a change replaces the members that it names, runs preflight and increases the revision by one', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: before } = await create({ document: HELLO, metadata: { a: 1 } })
  service.clock.shift(60)
  const document = documentOf([textLayer('Much too long. '.repeat(50))])
  const changed = await service.request('PATCH', `/designs/${before.id}`, { token, body: { document } })
  assert.deepEqual([changed.status, changed.headers.get('etag')], [200, '"2"'])
  const { revision, updatedAt, preflight, name, metadata, createdAt } = changed.body
  assert.deepEqual([revision, name, metadata, createdAt], [2, before.name, before.metadata, before.createdAt])
  assert.ok(updatedAt > before.updatedAt)
  assert.equal(preflight.issues[0].code, 'text_overflow')
  assert.equal((await service.request('PATCH', `/designs/${before.id}`, { token, body: {} })).status, 400)
  const foreign = await service.request('PATCH', `/designs/${before.id}`, {
    token,
    body: { variantId: newId('variant') },
  })
  assert.deepEqual([foreign.status, foreign.body.code], [422, 'variant_not_found'])
})

test('a change or archival for another version is refused, and changes nothing', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create()
  const path = `/designs/${body.id}`
  const send = (method: string, tag: string, members?: object) =>
    service.request(method, path, { token, headers: { 'if-match': tag }, ...(members && { body: members }) })
  assert.equal((await send('PATCH', '"1"', { name: 'Second' })).status, 200)
  for (const tag of ['"1"', 'W/"2"', '"3"', '"2-finalized-1"', '2']) {
    const refused = await send('PATCH', tag, { name: 'Late' })
    assert.deepEqual(
      [refused.status, refused.body.code, refused.headers.get('etag')],
      [412, 'precondition_failed', '"2"'],
    )
    assert.equal((await send('DELETE', tag)).status, 412)
  }
  const read = await service.request('GET', path, { token })
  assert.deepEqual([read.body.name, read.body.status], ['Second', 'draft'])
  assert.equal((await send('DELETE', '"2"')).status, 204)
})

test('a client that has the current version of a design gets 304', async (t) => {
  const { service, token, signInAgain, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  const path = `/designs/${body.id}`
  const readAs = (tag: string, bearer = token) =>
    service.request('GET', path, { token: bearer, headers: { 'if-none-match': tag } })
  const same = await readAs('"1"')
  assert.deepEqual([same.status, same.text, same.headers.get('etag')], [304, '', '"1"'])
  const finalized = await service.request('POST', `${path}/finalize`, { token })
  const tag = finalized.headers.get('etag') ?? ''
  assert.equal((await readAs('"1"')).status, 200)
  assert.equal((await readAs(tag)).status, 304)
  service.clock.shift(30 * 24 * 3600)
  const later = await signInAgain()
  await service.request('POST', `${path}/finalize`, { token: later })
  const renewed = await readAs(tag, later)
  assert.equal(renewed.status, 200)
  const renewedTag = renewed.headers.get('etag') ?? ''
  assert.equal((await readAs(renewedTag, later)).status, 304)
  await service.request('DELETE', path, { token: later })
  const archived = await readAs(renewedTag, later)
  assert.equal(archived.body.status, 'archived')
  assert.equal((await readAs(archived.headers.get('etag') ?? '', later)).status, 304)
  const stranger = await service.signUp()
  assert.equal((await readAs('*', stranger.accessToken)).status, 404)
})

test('the tags of designs whose finalization runs, was abandoned or failed give 304 until the state changes', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  const read = (tag: string) =>
    service.request('GET', `/designs/${body.id}`, { token, headers: { 'if-none-match': tag } })
  const set = (values: object) => service.db.updateTable('designs').set(values).where('id', '=', body.id).execute()
  const leaseUntil = new Date(service.clock.now().getTime() + 60_000)
  await set({ status: 'finalizing', lease_token: randomUUID(), lease_until: leaseUntil })
  assert.equal((await read('"1"')).status, 200)
  assert.equal((await read('"1-finalizing"')).status, 304)
  service.clock.shift(61)
  assert.equal((await read('"1"')).status, 304)
  const failed = { code: 'render_failed', detail: 'x', at: leaseUntil }
  const none = { status: 'draft', lease_token: null, lease_until: null }
  await set({ ...none, last_finalization_error: JSON.stringify(failed), finalization_failures: 3 })
  assert.equal((await read('"1"')).status, 200)
  assert.equal((await read('"1-failed-3"')).status, 304)
})

test('a finalized design cannot be changed, but its copy can', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO, metadata: { a: 1 } })
  const path = `/designs/${body.id}`
  await service.request('POST', `${path}/finalize`, { token })
  const refused = await service.request('PATCH', path, { token, body: { name: 'New' } })
  assert.deepEqual(
    [refused.status, refused.body.code, refused.body.designStatus],
    [409, 'design_not_draft', 'finalized'],
  )
  const copy = await service.request('POST', `${path}/duplicate`, { token })
  assert.deepEqual([copy.status, copy.body.status, copy.body.revision], [201, 'draft', 1])
  assert.deepEqual([copy.body.document, copy.body.metadata], [body.document, body.metadata])
  assert.notEqual(copy.body.id, body.id)
})

test('an archived design can be read and copied, not finalized; archiving it again has no effect', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  const path = `/designs/${body.id}`
  for (const _ of [1, 2]) assert.equal((await service.request('DELETE', path, { token })).status, 204)
  assert.equal((await service.request('GET', path, { token })).body.status, 'archived')
  const refused = await service.request('POST', `${path}/finalize`, { token })
  assert.deepEqual([refused.status, refused.body.code], [409, 'design_archived'])
  assert.equal((await service.request('POST', `${path}/duplicate`, { token })).status, 201)
  const events = await service.db.selectFrom('events').select(['type', 'subject']).execute()
  assert.deepEqual(events, [{ type: 'design.archived', subject: body.id }])
})

test('a design of another account is not found by any operation', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  await service.request('POST', `/designs/${body.id}/finalize`, { token })
  const attempts: [method: string, path: string, body?: object][] = [
    ['GET', ''],
    ['PATCH', '', { name: 'Mine' }],
    ['DELETE', ''],
    ['POST', '/duplicate'],
    ['POST', '/preflight'],
    ['POST', '/finalize'],
    ['GET', '/preview'],
    ['GET', '/files/print'],
    ['GET', '/receipt'],
  ]
  for (const role of ['customer', 'operator'] as const) {
    const { accessToken: other } = await service.signUp({ role })
    assert.deepEqual((await service.request('GET', '/designs', { token: other })).body.data, [])
    for (const [method, path, members] of attempts) {
      const options = { token: other, ...(members && { body: members }) }
      for (const id of [body.id, newId('design'), 'nonsense', `${body.id}%00`]) {
        const { status, body: problem } = await service.request(method, `/designs/${id}${path}`, options)
        assert.deepEqual([status, problem.code], [404, 'design_not_found'], `${method} ${path} ${id}`)
      }
    }
  }
})

test('the list goes from newest to oldest and can be filtered', async (t) => {
  const { service, token, create, product } = await startSignedIn(t)
  const ids: string[] = []
  for (const name of ['a', 'b', 'c']) ids.unshift((await create({ name })).body.id)
  await service.request('DELETE', `/designs/${ids[0]}`, { token })
  const list = async (query: string) => (await service.request('GET', `/designs?${query}`, { token })).body
  const idsOf = (page: { data: { id: string }[] }) => page.data.map(({ id }) => id)
  const first = await list('limit=2')
  assert.deepEqual(idsOf(first), ids.slice(0, 2))
  const second = await list(`limit=2&cursor=${first.nextCursor}`)
  assert.deepEqual([idsOf(second), second.nextCursor], [ids.slice(2), null])
  assert.deepEqual(idsOf(await list('status=archived')), ids.slice(0, 1))
  assert.deepEqual(idsOf(await list(`status=draft&productId=${product.id}`)), ids.slice(1))
  assert.deepEqual(idsOf(await list(`productId=${newId('product')}`)), [])
})

test('a preflight reports the current state and changes nothing', async (t) => {
  const { service, token, create, product } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  const { db, clock } = service
  await db.transaction().execute((trx) => changeProduct(trx, product.id, { status: 'archived' }, clock.now()))
  const report = await service.request('POST', `/designs/${body.id}/preflight`, { token })
  assert.deepEqual([report.status, report.body.ok, report.body.issues[0].code], [200, false, 'product_unavailable'])
  assert.deepEqual((await service.request('GET', `/designs/${body.id}`, { token })).body, body)
})

test('preflights of customers run one after another, and those of staff at once', async (t) => {
  let [running, most] = [0, 0]
  const real = sharedChecker()
  const preflight: Checker['preflight'] = async (...job) => {
    running += 1
    most = Math.max(most, running)
    await delay(50)
    return real.preflight(...job).finally(() => (running -= 1))
  }
  const { service, token, product, variantId } = await startSignedIn(t, {
    overrides: { checker: { ...real, preflight } },
  })
  const run = async (by: string): Promise<number> => {
    const content = { productId: product.id, variantId, document: HELLO }
    const { body: design } = await service.request('POST', '/designs', { token: by, body: content })
    most = 0
    const request = () => service.request('POST', `/designs/${design.id}/preflight`, { token: by })
    const answers = await Promise.all(Array.from({ length: 5 }, request))
    assert.ok(answers.every(({ status, body }) => status === 200 && body.ok))
    return most
  }
  assert.equal(await run(token), 1)
  assert.ok((await run((await service.signUp({ role: 'operator' })).accessToken)) > 1)
})

test('a preflight that takes long does not keep the turn of other customers', async (t) => {
  const real = sharedChecker()
  const { promise: end, resolve: letEnd } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const preflight: Checker['preflight'] = async (job, options) => {
    if (options?.owner === slow?.userId) {
      begun.resolve()
      await end
    }
    return real.preflight(job, options)
  }
  let slow: SignedUp | undefined
  const { service, product, variantId } = await startSignedIn(t, { overrides: { checker: { ...real, preflight } } })
  const createAs = async ({ accessToken: token }: SignedUp) => {
    const content = { productId: product.id, variantId, document: HELLO }
    const { body } = await service.request('POST', '/designs', { token, body: content })
    return () => service.request('POST', `/designs/${body.id}/preflight`, { token })
  }
  const [one, other] = [await service.signUp(), await service.signUp()]
  const [ofOne, ofOther] = [await createAs(one), await createAs(other)]
  slow = one
  const order: string[] = []
  const long = ofOne().then(({ status }) => order.push(`slow ${status}`))
  await begun.promise
  const quick = ofOther().then(({ status }) => order.push(`other ${status}`))
  // Ends the wait of a test that fails.
  const patience = setTimeout(letEnd, PATIENCE_MS)
  await quick
  clearTimeout(patience)
  letEnd()
  await long
  assert.deepEqual(order, ['other 200', 'slow 200'])
})
