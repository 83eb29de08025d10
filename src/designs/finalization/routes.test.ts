import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { untilEventsVisible } from '../../../test/harness.ts'
import { newId } from '../../../test/ids.ts'
import { documentOf, HELLO, imageLayer, makePicture, startSignedIn } from '../factory.ts'

test('finalize accepts no body or an empty one, and a repeated request with the tag of the draft', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  const path = `/designs/${body.id}/finalize`
  const send = (options: object) => service.request('POST', path, { token, ...options })
  const stale = await send({ headers: { 'if-match': '"2"' } })
  assert.equal(stale.status, 412)
  assert.equal((await send({ body: { quantity: 1 } })).status, 400)
  const first = await send({ headers: { 'if-match': '"1"' } })
  assert.deepEqual([first.status, first.body.status], [200, 'finalized'])
  for (const options of [{ headers: { 'if-match': '"1"' } }, { body: {} }, { headers: { prefer: 'respond-async' } }]) {
    const again = await send(options)
    assert.deepEqual([again.status, again.body], [200, first.body])
  }
})

test('a design that cannot be printed is refused with all errors, and stays unchanged', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: documentOf([imageLayer(newId('asset'))]) })
  const refused = await service.request('POST', `/designs/${body.id}/finalize`, { token })
  assert.deepEqual([refused.status, refused.body.code], [422, 'preflight_failed'])
  assert.deepEqual(refused.body.errors[0].code, 'asset_missing')
  assert.match(refused.body.errors[0].pointer, /^\/placements\/0\/layers\/0/)
  assert.deepEqual((await service.request('GET', `/designs/${body.id}`, { token })).body, body)
})

test('with Prefer: respond-async the response precedes the files, which a job draws', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body } = await create({ document: HELLO })
  const path = `/designs/${body.id}`
  const answer = await service.request('POST', `${path}/finalize`, {
    token,
    headers: { prefer: 'wait=1, respond-async' },
  })
  assert.deepEqual([answer.status, answer.body.status], [202, 'finalizing'])
  assert.equal(answer.headers.get('location'), `/v1/designs/${body.id}`)
  assert.equal(answer.headers.get('preference-applied'), 'respond-async')
  const busy = await service.request('PATCH', path, { token, body: { name: 'Late' } })
  assert.deepEqual([busy.status, busy.body.code, busy.body.designStatus], [409, 'design_not_draft', 'finalizing'])
  service.startJobs()
  let status = 'finalizing'
  while (status === 'finalizing') {
    await pause(50)
    status = (await service.request('GET', path, { token })).body.status
  }
  assert.equal(status, 'finalized')
})

test('a client learns why an asynchronous finalization failed from the design and from an event', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const upload = { token, body: await makePicture(), headers: { 'content-type': 'image/jpeg' } }
  const { body: asset } = await service.request('POST', '/assets', upload)
  const { body: draft } = await create({ document: documentOf([imageLayer(asset.id)]) })
  const path = `/designs/${draft.id}`
  assert.equal(draft.lastFinalizationError, null)
  const headers = { prefer: 'respond-async' }
  assert.equal((await service.request('POST', `${path}/finalize`, { token, headers })).status, 202)
  await service.db.deleteFrom('assets').execute()
  service.startJobs()
  const read = (members: object = {}) => service.request('GET', path, { token, ...members })
  let design = await read()
  for (; design.body.status === 'finalizing'; design = await read()) await pause(50)
  const { lastFinalizationError: error, ...rest } = design.body
  assert.deepEqual({ ...rest, lastFinalizationError: null }, draft)
  assert.deepEqual([error.code, error.errors[0].code], ['preflight_failed', 'asset_missing'])
  assert.match(error.at, /^\d{4}-\d\d-\d\dT.*Z$/)
  await untilEventsVisible(service.db)
  const { data } = (await service.request('GET', '/events?type=design.finalization_failed', { token })).body
  assert.deepEqual([data.length, data[0].subject, data[0].data], [1, draft.id, design.body])
  assert.equal((await read({ headers: { 'if-none-match': '"1"' } })).status, 200)
  const changed = await service.request('PATCH', path, { token, headers: { 'if-match': '"1"' }, body: { name: 'New' } })
  assert.deepEqual([changed.status, changed.body.lastFinalizationError], [200, error])
  const copy = await service.request('POST', `${path}/duplicate`, { token })
  assert.equal(copy.body.lastFinalizationError, null)
})

test('an API key can finalize if its permissions allow it, and the receipt states that a key was used', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ document: HELLO })
  const keyFor = async (permission: string): Promise<string> => {
    const body = { name: permission, permissions: [permission] }
    return (await service.request('POST', '/api/api-keys', { token, body })).body.key
  }
  const reader = await keyFor('designs:read')
  const writer = await keyFor('designs:write')
  const finalize = (key: string) => service.request('POST', `/designs/${design.id}/finalize`, { token: key })
  const read = (key: string) => service.request('GET', `/designs/${design.id}`, { token: key })
  for (const refused of [await finalize(reader), await read(writer)]) {
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope'])
  }
  const { finalization } = (await finalize(writer)).body
  const claims = JSON.parse(Buffer.from(finalization.receipt.split('.')[1], 'base64url').toString('utf8'))
  assert.deepEqual([claims.amr, claims.auth_time], [['api_key'], undefined])
  assert.equal((await read(reader)).status, 200)
})
