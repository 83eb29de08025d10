import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { until } from '../../../test/lib/until.ts'
import { HELLO, startSignedIn } from '../factory.ts'
import { patchDesign } from './patch-design.ts'

/** Random texts, because PostgreSQL compresses others. */
const LARGE_METADATA = Object.fromEntries(
  Array.from({ length: 10 }, (_, n) => [`key${n}`, randomBytes(300).toString('base64')]),
)

const LAYER = '/document/placements/0/layers/0'

async function openDraft(t: Parameters<typeof startSignedIn>[0]) {
  const shop = await startSignedIn(t)
  const { service, token, create } = shop
  const { body: design } = await create({ document: HELLO, metadata: { a: 1 }, externalReference: 'ref' })
  const patch = (operations: unknown, headers: Record<string, string> = {}, type = 'application/json-patch+json') =>
    service.request('PATCH', `/designs/${design.id}`, {
      token,
      body: new TextEncoder().encode(JSON.stringify(operations)),
      headers: { 'content-type': type, ...headers },
    })
  const read = async () => (await service.request('GET', `/designs/${design.id}`, { token })).body
  return { ...shop, design, patch, read }
}

test('a JSON Patch changes the named places of a draft, which is checked again', async (t) => {
  const { design, patch, read } = await openDraft(t)
  const { status, body, headers } = await patch([
    { op: 'test', path: '/name', value: 'Business card' },
    { op: 'replace', path: '/name', value: 'Patched' },
    { op: 'replace', path: `${LAYER}/fontSizePt`, value: 5 },
    { op: 'copy', from: LAYER, path: '/document/placements/0/layers/-' },
    { op: 'replace', path: '/document/placements/0/layers/1/id', value: 'second' },
    { op: 'add', path: '/metadata/b', value: 'two' },
    { op: 'remove', path: '/externalReference' },
  ])
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.revision, headers.get('etag'), body.name], [2, '"2"', 'Patched'])
  assert.deepEqual([body.metadata, body.externalReference], [{ a: 1, b: 'two' }, null])
  const [first, second] = body.document.placements[0].layers
  assert.deepEqual([first.fontSizePt, second], [5, { ...first, id: 'second' }])
  assert.ok(body.preflight.issues.some(({ code }: { code: string }) => code === 'text_too_small'))
  assert.deepEqual(await read(), body)
  assert.equal(design.revision, 1)
})

test('a patch that changes nothing leaves the revision as it is', async (t) => {
  const { design, patch } = await openDraft(t)
  for (const operations of [[], [{ op: 'test', path: '/name', value: design.name }]]) {
    const { status, body } = await patch(operations)
    assert.deepEqual([status, body], [200, design])
  }
})

test('a malformed list, an inapplicable operation and a failed test have their own codes and change nothing', async (t) => {
  const { design, patch, read } = await openDraft(t)
  const cases: [operations: unknown, status: number, code: string, pointer: string][] = [
    [{}, 400, 'validation_failed', ''],
    [[{ op: 'add', path: '/name' }], 400, 'validation_failed', '/0/value'],
    [[{ op: 'jump', path: '/name' }], 400, 'validation_failed', '/0/op'],
    [[{ path: '/name', value: 'x' }], 400, 'validation_failed', '/0/op'],
    [[{ op: 'remove', path: 'name' }], 400, 'validation_failed', '/0/path'],
    [[{ op: 'copy', path: '/name' }], 400, 'validation_failed', '/0/from'],
    [Array.from({ length: 101 }, () => ({ op: 'test', path: '', value: 1 })), 400, 'validation_failed', ''],
    [[{ op: 'replace', path: '/status', value: 'x' }], 422, 'patch_invalid', '/0'],
    [
      [
        { op: 'replace', path: '/name', value: 'x' },
        { op: 'remove', path: '/document/placements/3' },
      ],
      422,
      'patch_invalid',
      '/1',
    ],
    [[{ op: 'add', path: '/metadata/__proto__', value: 'x' }], 422, 'patch_invalid', '/0'],
    [
      Array.from({ length: 100 }, (_, n) => ({ op: 'copy', from: '', path: `/metadata/k${n}` })),
      422,
      'patch_invalid',
      '',
    ],
    [
      [
        { op: 'replace', path: '/name', value: 'x' },
        { op: 'test', path: '/name', value: 'y' },
      ],
      409,
      'patch_test_failed',
      '/1',
    ],
    // The result breaks a rule of a save.
    [[{ op: 'add', path: '/status', value: 'x' }], 400, 'validation_failed', '/status'],
    [[{ op: 'remove', path: '/name' }], 400, 'validation_failed', '/name'],
    [[{ op: 'replace', path: '', value: [] }], 400, 'validation_failed', '/name'],
    [[{ op: 'replace', path: `${LAYER}/color`, value: 'red' }], 400, 'validation_failed', `${LAYER}/color`],
    [[{ op: 'copy', from: LAYER, path: `${LAYER}` }], 400, 'document_invalid', '/document/placements/0/layers/1/id'],
    [[{ op: 'replace', path: '/variantId', value: 'var_none' }], 422, 'variant_not_found', '/variantId'],
  ]
  for (const [operations, status, code, pointer] of cases) {
    const answer = await patch(operations)
    const label = JSON.stringify(operations).slice(0, 100)
    assert.deepEqual([answer.status, answer.body.code], [status, code], `${label}: ${answer.text}`)
    const [error] = answer.body.errors
    if (pointer !== '') assert.equal(error.pointer, pointer, label)
  }
  assert.deepEqual(await read(), design)
})

test('a patch honours If-Match, and its media type is taken by this operation only', async (t) => {
  const { design, patch, service, token } = await openDraft(t)
  const rename = [{ op: 'replace', path: '/name', value: 'New' }]
  assert.equal((await patch(rename, { 'if-match': '"7"' })).status, 412)
  assert.equal((await patch(rename, { 'if-match': '"1"' })).body.name, 'New')
  assert.equal((await patch(rename, {}, 'application/merge-patch+json')).status, 415)
  const headers = { 'content-type': 'application/json-patch+json' }
  const body = new TextEncoder().encode(JSON.stringify(rename))
  const elsewhere = await service.request('POST', '/designs', { token, body, headers })
  assert.equal(elsewhere.status, 415)
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'application/json;x=y',
  ]) {
    const { status, body } = await patch({ colour: 'red' }, {}, type)
    assert.deepEqual([status, body.code], [400, 'validation_failed'], type)
    const list = await patch(rename, {}, type)
    assert.deepEqual([list.status, list.body.code], [400, 'validation_failed'], type)
  }
  for (const suffix of ['; charset=utf-8', ';x=y', ' ; charset="utf-8"']) {
    const type = `application/json-patch+json${suffix}`
    assert.equal((await patch([{ op: 'jump' }], {}, type)).body.code, 'validation_failed', type)
    assert.equal((await patch({ name: 'x' }, {}, type)).body.code, 'validation_failed', type)
  }
  assert.equal((await patch([{ op: 'jump' }], {}, 'Application/JSON-Patch+json')).body.code, 'validation_failed')
  const empty = await service.request('PATCH', `/designs/${design.id}`, { token })
  assert.deepEqual([empty.status, empty.body.code], [400, 'validation_failed'])
})

test('a patched design is no larger than a body may be', async (t) => {
  const { patch } = await openDraft(t)
  const add = { op: 'add', path: '/metadata/big', value: 'x'.repeat(600_000) }
  const refused = await patch([add, { op: 'copy', from: '/metadata/big', path: '/metadata/copy' }])
  assert.deepEqual([refused.status, refused.body.code], [413, 'body_too_large'])
  const { status, body } = await patch([add])
  assert.deepEqual([status, body.errors[0].pointer], [400, '/metadata/big'])
})

// Without the comparison of revisions, the patch would be applied to the draft as it was before the other change.
test('a patch that another change overtakes is applied to the new version', async (t) => {
  const { design, patch, service } = await openDraft(t)
  const { late } = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('designs').select('id').where('id', '=', design.id).forUpdate().execute()
    const late = patch([{ op: 'add', path: '/metadata/late', value: true }])
    await service.untilBlocked()
    const set = { metadata: '{"early":true}', revision: 2 }
    await trx.updateTable('designs').set(set).where('id', '=', design.id).execute()
    return { late }
  })
  const { body } = await late
  assert.deepEqual([body.metadata, body.revision], [{ early: true, late: true }, 3])
})

test('a patch of a large design waits for its turn before the design is read; other patches do not wait', async (t) => {
  const { service, userId, create } = await startSignedIn(t)
  const stepsFor = async (metadata: object): Promise<string[]> => {
    const { body: design } = await create({ document: HELLO, metadata })
    const steps: string[] = []
    const deps = {
      ...service.services.designs,
      untilMayEdit: async () => void steps.push('read'),
      inTurn: <Result>(change: () => Promise<Result>) => {
        steps.push('turn')
        return change()
      },
    }
    const key = { id: design.id, ownerId: userId }
    await patchDesign(deps, { key, requireVersion: () => undefined, now: service.clock.now, operations: [] })
    return steps
  }
  assert.deepEqual(await stepsFor(LARGE_METADATA), ['turn', 'read'])
  assert.deepEqual(await stepsFor({ a: 1 }), ['read'])
})

test('of many patches of large designs from one network, 4 run and 64 wait; further ones are refused at once', async (t) => {
  const { service, token, create } = await startSignedIn(t, { env: { PLATEN_RATE_LIMITS: 'off' } })
  const { body: design } = await create({ document: HELLO, metadata: LARGE_METADATA })
  const body = new TextEncoder().encode(JSON.stringify([{ op: 'replace', path: '/name', value: 'Patched' }]))
  const headers = { 'content-type': 'application/json-patch+json' }
  const refused: string[] = []
  const all = await service.db.transaction().execute(async (trx) => {
    await trx.selectFrom('designs').select('id').where('id', '=', design.id).forUpdate().execute()
    const patches = Array.from({ length: 80 }, async () => {
      const { status, body: answer } = await service.request('PATCH', `/designs/${design.id}`, { token, headers, body })
      if (status === 503) refused.push(answer.code)
    })
    await until('twelve refusals', async () => refused.length >= 12)
    return { patches: Promise.all(patches), early: [...refused] }
  })
  assert.deepEqual(
    all.early,
    Array.from({ length: 12 }, () => 'renderer_busy'),
  )
  await all.patches
  assert.equal((await service.request('GET', `/designs/${design.id}`, { token })).body.name, 'Patched')
})
