import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type ApiDocument, findBreakingChanges, RELEASED_DOCUMENT } from './breaking-changes.ts'

const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as ApiDocument
const committed = read(join(import.meta.dirname, '../../../openapi.json'))
const released = read(RELEASED_DOCUMENT)

const api = (request: object, answer: object, parameters: object[] = []): ApiDocument => ({
  paths: {
    '/things': {
      post: {
        parameters: parameters as never[],
        requestBody: { content: { 'application/json': { schema: request } } },
        responses: { 200: { content: { 'application/json': { schema: answer } } } },
      },
    },
  },
})
const object = (properties: object, required: string[] = []) => ({ type: 'object', properties, required })
const text = { type: 'string' }

test('the API breaks no client of the last release', () => {
  assert.deepEqual(findBreakingChanges(released, committed), [], 'see "Releases" in CONTRIBUTING.md')
})

test('the comparison with the last release finds a removed operation and a removed member', () => {
  assert.ok(Object.keys(released.paths ?? {}).length > 100)
  const planted = structuredClone(committed)
  delete planted.paths?.['/designs/{designId}/preflight']
  delete planted.components?.schemas?.['Design']?.properties?.['finalization']
  // Clients of the last release send a token to pay, or none, and send customers to the URL of the response.
  Object.assign(planted.components?.schemas?.['PayOrderRequest'] ?? {}, { required: ['token'] })
  delete planted.components?.schemas?.['NextAction']?.properties?.['redirectUrl']
  const found = findBreakingChanges(released, planted)
  assert.ok(found.includes('POST /designs/{designId}/preflight: removed'))
  assert.ok(found.includes('GET /designs/{designId}: response 200: /finalization removed'), found.join('\n'))
  const payment = found.filter((change) => change.startsWith('POST /orders/{orderId}/pay:'))
  assert.deepEqual(payment, [
    'POST /orders/{orderId}/pay: request/token now required',
    'POST /orders/{orderId}/pay: response 200: /payment/nextAction/redirectUrl removed',
  ])
})

test('an unchanged document and additions break nothing', () => {
  assert.deepEqual(findBreakingChanges(committed, committed), [])
  const before = api(object({ name: text }, ['name']), object({ id: text }, ['id']))
  const after = api(
    object({ name: text, note: text }, ['name']),
    { anyOf: [object({ id: text, extra: text }, ['id'])] },
    [{ name: 'fast', in: 'query' }],
  )
  after.paths = { ...after.paths, '/more': {} }
  assert.deepEqual(findBreakingChanges(before, after), [])
})

test('a member that only a new parameter leaves out breaks no client', () => {
  const before = api({}, object({ id: text, document: text }, ['id', 'document']))
  const after = (document: object) => api({}, object({ id: text, document }, ['id']))
  assert.deepEqual(findBreakingChanges(before, after({ ...text, 'x-left-out-by': 'view=summary' })), [])
  assert.deepEqual(findBreakingChanges(before, after(text)), [
    'POST /things: response 200: /document may now be missing',
  ])
})

test('a body of null that becomes an optional body breaks no client', () => {
  const before = api({ anyOf: [object({ note: text }), { type: 'null' }] }, text)
  const after = api(object({ note: text }), text)
  assert.deepEqual(findBreakingChanges(before, after), [])
  const required = structuredClone(after)
  Object.assign(required.paths?.['/things']?.['post']?.requestBody ?? {}, { required: true })
  assert.deepEqual(findBreakingChanges(before, required), [
    'POST /things: a body is now required',
    'POST /things: request no longer a null',
  ])
})

test('a member that every alternative requires is required', () => {
  const before = api({}, object({ id: text, kind: text }, ['id', 'kind']))
  const after = (...required: string[]) => {
    const alternatives = [object({ id: text, kind: text }, ['id', 'kind']), object({ id: text, kind: text }, required)]
    return api({}, { oneOf: alternatives })
  }
  assert.deepEqual(findBreakingChanges(before, after('id', 'kind')), [])
  assert.deepEqual(findBreakingChanges(before, after('kind')), ['POST /things: response 200: /id may now be missing'])
})

test('reports every change that breaks a client', () => {
  const kind = { type: 'string', enum: ['a', 'b'] }
  const before = api(
    object({ name: text, kind, note: text }, ['name']),
    object({ id: text, list: { type: 'array', items: object({ n: text }) } }, ['id']),
    [{ name: 'limit', in: 'query', schema: text }],
  )
  const after = api(
    object({ name: { type: 'number' }, kind: { type: 'string', enum: ['a'] }, size: text }, ['name', 'size']),
    object({ id: text, list: { type: 'array', items: object({}) } }),
    [{ name: 'page', in: 'query', required: true }],
  )
  assert.deepEqual(findBreakingChanges(before, after).sort(), [
    'POST /things: parameter limit removed',
    'POST /things: parameter page now required',
    'POST /things: request/kind no longer "b"',
    'POST /things: request/name no longer a string',
    'POST /things: request/note no longer accepted',
    'POST /things: request/size now required',
    'POST /things: response 200: /id may now be missing',
    'POST /things: response 200: /list/*/n removed',
  ])
  assert.deepEqual(findBreakingChanges(before, {}), ['POST /things: removed'])
})
