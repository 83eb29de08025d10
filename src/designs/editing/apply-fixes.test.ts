import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PreflightIssue } from '../../drawing/index.ts'
import { documentOf, HELLO, startSignedIn, textLayer } from '../factory.ts'

/** A document with several fixable issues on its layers. */
const FAULTY = documentOf([
  textLayer('Small and off', { id: 'a', fontSizePt: 3, x: -5, y: 5 }),
  textLayer('Small', { id: 'b', fontSizePt: 5, y: 30 }),
])

const codesOf = (issues: PreflightIssue[]) => issues.map(({ code }) => code)

test('the fixes of all layers are applied, several to one layer, until none is left', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ document: FAULTY })
  const fixable = design.preflight.issues.filter(({ fix }: PreflightIssue) => fix !== undefined)
  assert.ok(fixable.length >= 3, JSON.stringify(design.preflight))
  const { status, body, headers } = await service.request('POST', `/designs/${design.id}/apply-fixes`, { token })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.revision, headers.get('etag')], [2, '"2"'])
  for (const { code, pointer } of fixable) {
    const layer = pointer.split('/', 5).join('/')
    const found = body.appliedFixes.some((one: PreflightIssue) => one.code === code && one.pointer.startsWith(layer))
    assert.ok(found, `${code} ${pointer} in ${JSON.stringify(body.appliedFixes)}`)
  }
  assert.ok(body.preflight.issues.every(({ fix }: PreflightIssue) => fix === undefined))
  // The second fix of a layer comes after a new check, so it is computed for the changed layer.
  const [first, second] = body.appliedFixes.map(({ pointer }: PreflightIssue) => pointer.split('/', 5).join('/'))
  assert.notEqual(first, second, JSON.stringify(body.appliedFixes))
  const { appliedFixes: _, ...saved } = body
  assert.deepEqual((await service.request('GET', `/designs/${design.id}`, { token })).body, saved)

  const again = await service.request('POST', `/designs/${design.id}/apply-fixes`, { token, body: {} })
  assert.deepEqual([again.status, again.body], [200, { ...saved, appliedFixes: [] }])
})

test('only issues with the given codes are fixed', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ document: FAULTY })
  const fix = (codes: unknown) =>
    service.request('POST', `/designs/${design.id}/apply-fixes`, { token, body: { codes } })
  const { body: same } = await fix(['bleed_missing', 'not_a_code'])
  assert.deepEqual([same.revision, same.appliedFixes], [1, []])
  const { body } = await fix(['text_too_small'])
  assert.deepEqual([...new Set(codesOf(body.appliedFixes))], ['text_too_small'])
  assert.ok(codesOf(body.preflight.issues).includes('outside_safe_area'))
  assert.equal((await fix('text_too_small')).status, 400)
})

test('fixes honour If-Match, need a draft of the caller, and leave it unchanged otherwise', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { body: design } = await create({ document: FAULTY })
  const path = `/designs/${design.id}/apply-fixes`
  const stale = await service.request('POST', path, { token, headers: { 'if-match': '"7"' } })
  assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
  const stranger = (await service.signUp()).accessToken
  assert.equal((await service.request('POST', path, { token: stranger })).body.code, 'design_not_found')
  assert.equal((await service.request('GET', `/designs/${design.id}`, { token })).body.revision, 1)
  const { body: archived } = await create({ document: HELLO })
  await service.request('DELETE', `/designs/${archived.id}`, { token })
  const refused = await service.request('POST', `/designs/${archived.id}/apply-fixes`, { token })
  assert.deepEqual([refused.status, refused.body.code], [409, 'design_not_draft'])
})
