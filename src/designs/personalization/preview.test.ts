import assert from 'node:assert/strict'
import { test } from 'node:test'
import { documentOf, startSignedIn, textLayer } from '../factory.ts'

const DOCUMENT = documentOf([textLayer('Hello {{name}}', { width: 70 })])

async function startWithDesign(t: Parameters<typeof startSignedIn>[0]) {
  const { service, token, create } = await startSignedIn(t)
  const see = async (id: string, data?: unknown, headers: Record<string, string> = {}) => {
    const text = typeof data === 'string' ? data : JSON.stringify(data)
    const query = data === undefined ? '' : `&data=${encodeURIComponent(text)}`
    return service.request('GET', `/designs/${id}/preview?width=200${query}`, { token, headers })
  }
  return { service, token, create, see }
}

test('a preview shows the given texts, both of a draft and of a finalized design', async (t) => {
  const { service, token, create, see } = await startWithDesign(t)
  const { body: draft } = await create({ document: DOCUMENT })
  const { body: written } = await create({ document: documentOf([textLayer('Hello Ann', { width: 70 })]) })
  const expected = await see(written.id)
  const filled = await see(draft.id, { name: 'Ann' })
  assert.deepEqual([filled.status, filled.body.equals(expected.body)], [200, true])
  const etag = filled.headers.get('etag') ?? ''
  assert.equal((await see(draft.id, { name: 'Ann' }, { 'if-none-match': etag })).status, 304)
  assert.equal((await see(draft.id, { name: 'Bob' }, { 'if-none-match': etag })).status, 200)
  // A text without a placeholder is ignored, and a placeholder without a text is drawn as it is written.
  const bare = await see(draft.id)
  assert.equal((await see(draft.id, { colour: 'red' })).headers.get('etag'), bare.headers.get('etag'))
  assert.notEqual(bare.headers.get('etag'), etag)

  await service.request('POST', `/designs/${draft.id}/finalize`, { token })
  const finalized = await see(draft.id, { name: 'Ann' })
  assert.ok(finalized.body.equals(expected.body))
})

test('values that are not an object of texts, or too long, are refused with the parameter and the name', async (t) => {
  const { create, see } = await startWithDesign(t)
  const { body: design } = await create({ document: documentOf([textLayer('{{a}}'.repeat(30), { width: 70 })]) })
  const refused: [unknown, string, string | undefined][] = [
    ['{"a":', 'wrong_format', undefined],
    ['{"a":"1","a":"2"}', 'wrong_format', undefined],
    ['{"__proto__":"x"}', 'wrong_format', undefined],
    [['x'], 'wrong_type', undefined],
    ['null', 'wrong_type', undefined],
    [{ a: 1 }, 'wrong_type', '/a'],
    [{ 'a/b': null }, 'wrong_type', '/a~1b'],
    [{ a: 'x'.repeat(2001) }, 'too_long', '/a'],
    [{ a: 'x\u0007' }, 'wrong_format', '/a'],
    [Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`n${index}`, 'x'])), 'too_many', undefined],
    // Thirty texts of a thousand characters each.
    [{ a: 'x'.repeat(1000) }, 'too_long', '/a'],
    ['x'.repeat(9000), 'too_long', undefined],
  ]
  for (const [data, code, pointer] of refused) {
    const { status, body } = await see(design.id, data)
    assert.deepEqual([status, body.code], [400, 'validation_failed'], JSON.stringify(data))
    const [fault] = body.errors
    assert.deepEqual([fault.parameter, fault.code, fault.pointer], ['data', code, pointer])
  }
})
