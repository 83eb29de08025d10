import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, imageLayer, makePicture, startSignedIn, textLayer } from '../../src/designs/factory.ts'
import { changeProduct } from '../../src/products/change-product.ts'
import type { TestResponse } from '../harness.ts'

interface Fault {
  code: string
  pointer: string
  detail: string
}

type Signed = Awaited<ReturnType<typeof startSignedIn>>

/** Starts a service with a design that can be finalized. Returns also functions that send changes of this design. */
async function startWithDraft(t: Parameters<typeof startSignedIn>[0]) {
  const signed = await startSignedIn(t)
  const { service, token, create } = signed
  const { body: draft } = await create({ document: documentOf([textLayer('Good')]) })
  const path = `/designs/${draft.id}`
  const patch = (body: unknown, headers: Record<string, string> = {}): Promise<TestResponse> =>
    service.request('PATCH', path, { token, body, headers })
  return { ...signed, draft, path, patch }
}

async function finalize({ service, token }: Signed, designId: string): Promise<TestResponse> {
  return service.request('POST', `/designs/${designId}/finalize`, { token })
}

const json = { 'content-type': 'application/json' }
const layer = { ...textLayer('x'), id: 'text' }
const shape = { id: 'shape', type: 'shape', shape: 'rect', x: 5, y: 5, width: 10, height: 10, fill: '#000000' }
const placing = (...layers: object[]) => ({ document: { version: 1, placements: [{ printAreaId: 'front', layers }] } })
/** Makes the JSON text of a change in which the `x` of the layer consists of the given characters. */
const withX = (characters: string) => JSON.stringify(placing({ ...layer, x: 'X' })).replace('"X"', characters)
const many = (count: number, prefix: string) =>
  Array.from({ length: count }, (_, index) => ({ ...layer, id: `${prefix}${index}` }))

const FIRST = '/document/placements/0/layers/0'

/** Each row has a request body and the expected fault: its code, its pointer, and words of its detail. */
const REFUSED_BY_SCHEMA: [what: string, body: unknown, fault: [code: string, pointer: string, detail: RegExp]][] = [
  ['a number too large for any machine', withX('1e999'), ['too_large', `${FIRST}/x`, /10000/]],
  ['NaN as text', withX('"NaN"'), ['wrong_type', `${FIRST}/x`, /number/]],
  ['null for a number', withX('null'), ['wrong_type', `${FIRST}/x`, /number/]],
  ['a huge size', placing({ ...layer, width: 1e12 }), ['too_large', `${FIRST}/width`, /10000/]],
  ['a negative size', placing({ ...layer, height: -5 }), ['too_small', `${FIRST}/height`, /> 0/]],
  ['a box without width', placing({ ...layer, width: 0 }), ['too_small', `${FIRST}/width`, /> 0/]],
  ['a place far away', placing({ ...layer, y: -1e6 }), ['too_small', `${FIRST}/y`, /-10000/]],
  ['201 layers', placing(...many(201, 'l')), ['too_many', '/document/placements/0/layers', /200/]],
  [
    'a path of almost 1 MB',
    placing({ ...shape, shape: 'path', path: 'L1 1'.repeat(250_000) }),
    ['too_long', `${FIRST}/path`, /65536/],
  ],
  [
    'a text of 100 000 characters',
    placing({ ...layer, text: 'x'.repeat(100_000) }),
    ['too_long', `${FIRST}/text`, /10000/],
  ],
  [
    'an unknown type of layer',
    placing({ ...layer, type: 'video' }),
    ['unknown_value', `${FIRST}/type`, /one of: text, image, shape, qr/],
  ],
  ['an unknown field', placing({ ...layer, shadow: 1 }), ['unknown_field', `${FIRST}/shadow`, /not known/]],
]

const REFUSED_BY_RULE: typeof REFUSED_BY_SCHEMA = [
  ['a shape without width', placing({ ...shape, width: 0 }), ['size_not_positive', `${FIRST}/width`, /rect/]],
  [
    'two layers with one id',
    placing(layer, layer),
    ['duplicate_layer_id', '/document/placements/0/layers/1/id', /text/],
  ],
  [
    'one print area twice',
    { document: { version: 1, placements: ['front', 'front'].map((printAreaId) => ({ printAreaId, layers: [] })) } },
    ['duplicate_print_area', '/document/placements/1/printAreaId', /front/],
  ],
  [
    '201 layers on two sides',
    {
      document: {
        version: 1,
        placements: [
          { printAreaId: 'front', layers: many(101, 'f') },
          { printAreaId: 'back', layers: many(100, 'b') },
        ],
      },
    },
    ['too_many_layers', '/document/placements', /201.*200/],
  ],
  [
    'texts that are too long together',
    placing(...many(3, 'l').map((one) => ({ ...one, text: 'x'.repeat(8_000) }))),
    ['too_much_text', '/document/placements', /24000.*20000/],
  ],
  ['a fraction of a micrometre', withX('1.23456'), ['too_many_decimals', `${FIRST}/x`, /3 decimals/]],
  [
    'a crop beyond the image',
    placing({ ...imageLayer('ast_x'), crop: { x: 0.6, y: 0, width: 0.6, height: 1 } }),
    ['crop_outside_image', `${FIRST}/crop`, /x \+ width/],
  ],
]

const nested = `{"document":${'{"a":'.repeat(100)}1${'}'.repeat(100)}}`

const MALFORMED: [what: string, body: string | Uint8Array, pointer: string, detail: RegExp][] = [
  ['NaN', withX('NaN'), '', /JSON/],
  ['Infinity', withX('-Infinity'), '', /JSON/],
  ['a byte order mark', Buffer.from(`\ufeff${withX('1')}`), '', /JSON/],
  ['UTF-16', Buffer.from(withX('1'), 'utf16le'), '', /JSON/],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from(withX('1').slice(0, -1)), Buffer.from([0xff, 0x7d])]),
    '',
    /UTF-8/,
  ],
  ['deep nesting', nested, '', /64/],
  ['__proto__', withX('1').replace('"id"', '"__proto__":{},"id"'), `${FIRST}/__proto__`, /__proto__/],
  ['a name twice', withX('1').replace('"id"', '"x":2,"id"'), '', /same name/],
  ['half a surrogate pair', withX('"\\ud800"'), `${FIRST}/x`, /surrogate/],
  ['NUL', withX('"\\u0000"'), `${FIRST}/x`, /NUL/],
  ['half a body', withX('1').slice(0, 50), '', /JSON/],
]

test('an invalid document is rejected with the place and the reason, and leaves the draft unchanged', async (t) => {
  const { service, token, draft, path, patch, create } = await startWithDraft(t)
  const expectRefused = (
    answer: TestResponse,
    code: string,
    [fault, pointer, detail]: [string, string, RegExp],
    what: string,
  ) => {
    assert.deepEqual([answer.status, answer.body.code], [400, code], `${what}: ${answer.text.slice(0, 500)}`)
    const found = answer.body.errors.find((one: Fault) => one.pointer === pointer && one.code === fault)
    assert.match(found?.detail ?? '', detail, `${what}: ${JSON.stringify(answer.body.errors).slice(0, 500)}`)
  }
  for (const [what, body, fault] of REFUSED_BY_SCHEMA) {
    expectRefused(await patch(body, json), 'validation_failed', fault, what)
    if (typeof body === 'object') expectRefused(await create(body ?? {}), 'validation_failed', fault, what)
  }
  for (const [what, body, fault] of REFUSED_BY_RULE) {
    expectRefused(await patch(body, json), 'document_invalid', fault, what)
  }
  for (const [what, body, pointer, detail] of MALFORMED) {
    const answer = await patch(body, json)
    assert.deepEqual([answer.status, answer.body.code], [400, 'malformed_json'], what)
    const place = answer.body.errors?.[0] ?? { pointer: '', detail: answer.body.detail }
    assert.ok(place.pointer.startsWith(pointer) && detail.test(place.detail), `${what}: ${JSON.stringify(place)}`)
  }
  assert.deepEqual((await service.request('GET', path, { token })).body, draft)
  assert.equal((await service.request('POST', `${path}/finalize`, { token })).body.status, 'finalized')
})

test('a body that is too large, of another type or for another version leaves the draft unchanged', async (t) => {
  const { service, token, draft, path, patch } = await startWithDraft(t)
  const large = JSON.stringify(placing({ ...shape, shape: 'path', path: 'L1 1'.repeat(270_000) }))
  const cases: [what: string, body: string, headers: Record<string, string>, status: number, code: string][] = [
    ['over 1 MiB', large, json, 413, 'body_too_large'],
    ['text', withX('1'), { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
    ['a form', 'x=1', { 'content-type': 'application/x-www-form-urlencoded' }, 415, 'unsupported_media_type'],
    ['stale', withX('1'), { ...json, 'if-match': '"0"' }, 412, 'precondition_failed'],
    ['weak', withX('1'), { ...json, 'if-match': 'W/"1"' }, 412, 'precondition_failed'],
  ]
  for (const [what, body, headers, status, code] of cases) {
    const answer = await patch(body, headers)
    assert.deepEqual([answer.status, answer.body.code], [status, code], `${what}: ${answer.text.slice(0, 300)}`)
  }
  const stale = await service.request('POST', `${path}/finalize`, { token, headers: { 'if-match': '"7"' } })
  assert.deepEqual([stale.status, stale.body.code, stale.headers.get('etag')], [412, 'precondition_failed', '"1"'])
  assert.deepEqual((await service.request('GET', path, { token })).body, draft)
})

test('an invalid Prefer header is ignored (RFC 7240), a valid one is honoured', async (t) => {
  const signed = await startSignedIn(t)
  const { service, token, create } = signed
  const document = documentOf([textLayer('Same')])
  const cases: [prefer: string, status: number][] = [
    ['', 200],
    [';;;,=', 200],
    ['not-respond-async', 200],
    ['respond-asynchronously', 200],
    ['wait=99999999999', 200],
    ['return=minimal; foo="respond-async"', 200],
    ['handling=lenient, Respond-Async', 202],
    ['respond-async;', 202],
  ]
  for (const [prefer, status] of cases) {
    const { body } = await create({ document })
    const answer = await service.request('POST', `/designs/${body.id}/finalize`, { token, headers: { prefer } })
    assert.equal(answer.status, status, `Prefer: ${prefer}`)
    assert.equal(answer.headers.get('preference-applied'), status === 202 ? 'respond-async' : null)
  }
})

test('saving a design returns the same preflight report as requesting it, even if the document did not change', async (t) => {
  const { service, token, path, patch } = await startWithDraft(t)
  const report = async () => (await service.request('POST', `${path}/preflight`, { token })).body
  const overflowing = await patch(documentOfText('Too long for its box. '.repeat(60)), json)
  assert.deepEqual(
    [overflowing.status, overflowing.body.preflight.ok, overflowing.body.preflight.issues[0].code],
    [200, false, 'text_overflow'],
  )
  assert.deepEqual(overflowing.body.preflight, await report())
  const renamed = await patch({ name: 'Renamed' })
  assert.deepEqual(renamed.body.preflight, await report())
  const mended = await patch(documentOfText('Short'), json)
  assert.deepEqual(mended.body.preflight, { ok: true, issues: [] })
})

const documentOfText = (text: string) => ({ document: documentOf([textLayer(text)]) })

/** A document that can be saved but not finalized: how to cause it, the expected error, and how to repair it. */
interface Obstacle {
  what: string
  make(signed: Signed): Promise<{ document: object; spoil?: () => Promise<unknown>; mend?: () => Promise<unknown> }>
  issue: [code: string, pointer: RegExp]
}

const good = documentOf([textLayer('Good')])

const OBSTACLES: Obstacle[] = [
  {
    what: 'an unknown print area',
    make: async () => ({
      document: { version: 1, placements: [...good.placements, { printAreaId: 'lid', layers: [] }] },
    }),
    issue: ['print_area_unknown', /^\/placements\/1\/printAreaId$/],
  },
  {
    what: "another person's image",
    make: async ({ service }) => {
      const { accessToken } = await service.signUp()
      return { document: documentOf([textLayer('Good'), imageLayer(await uploadPicture(service, accessToken))]) }
    },
    issue: ['asset_missing', /^\/placements\/0\/layers\/1\/assetId$/],
  },
  {
    what: 'an image that was deleted since it was saved',
    make: async ({ service, token }) => {
      const assetId = await uploadPicture(service, token)
      return {
        document: documentOf([textLayer('Good'), imageLayer(assetId)]),
        spoil: () => service.request('DELETE', `/assets/${assetId}`, { token }),
      }
    },
    issue: ['asset_missing', /^\/placements\/0\/layers\/1\/assetId$/],
  },
  {
    what: 'emoji that no font has',
    make: async () => ({ document: documentOf([textLayer('Good 🫠')]) }),
    issue: ['glyphs_missing', /^\/placements\/0\/layers\/0\/text$/],
  },
  {
    what: 'an unassigned code point',
    make: async () => ({ document: documentOf([textLayer('Good \u0378')]) }),
    issue: ['glyphs_missing', /^\/placements\/0\/layers\/0\/text$/],
  },
  {
    what: 'a private code point',
    make: async () => ({ document: documentOf([textLayer('Good \u{10fffd}')]) }),
    issue: ['glyphs_missing', /^\/placements\/0\/layers\/0\/text$/],
  },
  {
    what: 'path data that ends in the middle',
    make: async () => ({
      document: documentOf([textLayer('Good'), { ...shape, shape: 'path', path: 'M0 0 L 5' } as never]),
    }),
    issue: ['invalid_path', /^\/placements\/0\/layers\/1\/path$/],
  },
  {
    what: 'a font that is not there',
    make: async () => ({ document: documentOf([textLayer('Good', { fontFamily: '../../etc/passwd' })]) }),
    issue: ['font_unknown', /^\/placements\/0\/layers\/0\/fontFamily$/],
  },
  {
    what: 'a product that was archived since',
    make: async ({ service, product }) => ({
      document: good,
      spoil: () => setProduct(service, product.id, { status: 'archived' }),
      mend: () => setProduct(service, product.id, { status: 'active' }),
    }),
    issue: ['product_unavailable', /^$/],
  },
  {
    what: 'a variant that is not available any more',
    make: async ({ service, product }) => {
      const variants = (available: boolean) => product.variants.map((variant) => ({ ...variant, available }))
      return {
        document: good,
        spoil: () => setProduct(service, product.id, { variants: variants(false) }),
        mend: () => setProduct(service, product.id, { variants: variants(true) }),
      }
    },
    issue: ['product_unavailable', /^$/],
  },
]

async function uploadPicture(service: Signed['service'], token: string): Promise<string> {
  // The random colour gives each image different bytes, so that each image is stored separately.
  const tint = Math.floor(Math.random() * 0xffffff)
  const picture = await makePicture(`#${tint.toString(16).padStart(6, '0')}`)
  const headers = { 'content-type': 'image/jpeg' }
  const { body } = await service.request('POST', '/assets', { token, body: new Uint8Array(picture), headers })
  return body.id
}

function setProduct({ db, clock }: Signed['service'], id: string, changes: object): Promise<unknown> {
  return db.transaction().execute((trx) => changeProduct(trx, id, changes as never, clock.now()))
}

test('finalization rejects a document with an error, states its code, place and reason, and succeeds after the repair', async (t) => {
  const signed = await startSignedIn(t)
  const { service, token, create } = signed
  for (const { what, make, issue } of OBSTACLES) {
    const { document, spoil, mend } = await make(signed)
    const saved = await create({ document })
    assert.equal(saved.status, 201, `${what}: ${saved.text}`)
    await spoil?.()
    const before = (await service.request('GET', `/designs/${saved.body.id}`, { token })).body
    const refused = await finalize(signed, saved.body.id)
    assert.deepEqual([refused.status, refused.body.code], [422, 'preflight_failed'], what)
    const [error] = refused.body.errors as Fault[]
    assert.equal(error?.code, issue[0], what)
    assert.match(error?.pointer ?? 'none', issue[1], what)
    assert.ok((error?.detail ?? '').length > 10, what)
    assert.deepEqual((await service.request('GET', `/designs/${saved.body.id}`, { token })).body, before, what)
    if (mend === undefined) {
      const mended = await service.request('PATCH', `/designs/${saved.body.id}`, { token, body: { document: good } })
      assert.deepEqual(mended.body.preflight, { ok: true, issues: [] }, what)
    } else {
      await mend()
    }
    const done = await finalize(signed, saved.body.id)
    assert.deepEqual([done.status, done.body.status], [200, 'finalized'], `${what}: ${done.text}`)
  }
})
