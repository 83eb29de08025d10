import assert from 'node:assert/strict'
import { test } from 'node:test'
import { publicRoute } from '../../src/platform/http/core/guard.ts'
import { createTestApp } from '../../src/platform/http/factory.ts'
import { describeHeaders } from '../../src/platform/http/operations/document/headers.ts'
import { operations, requireOperation } from './document.ts'
import { startWithProduct } from './scene.ts'

const headersOf = (operationId: string): string[] =>
  ((requireOperation(operationId).parameters as { $ref?: string; name?: string; in?: string }[] | undefined) ?? [])
    .flatMap(({ $ref, name, in: place }) => $ref?.split('/').at(-1) ?? (place === 'header' ? name : undefined) ?? [])
    .sort()

const sentBy = (operationId: string, status: string): string[] =>
  Object.keys(requireOperation(operationId).responses[status]?.headers ?? {})

test('an operation lists the request headers that it honours', () => {
  assert.deepEqual(headersOf('createOrder'), ['Idempotency-Key', 'Platen-Customer'])
  assert.deepEqual(headersOf('finalizeDesign'), ['If-Match', 'Platen-Customer', 'Prefer'])
  assert.deepEqual(headersOf('previewDesign'), ['Accept', 'If-None-Match', 'Platen-Customer'])
  assert.deepEqual(headersOf('streamEvents'), ['Last-Event-ID'])
  assert.deepEqual(headersOf('login'), [])
})

test('an operation lists the headers of its responses', () => {
  for (const { operationId, responses } of operations.values())
    for (const [status, { $ref, headers }] of Object.entries(responses))
      assert.ok($ref !== undefined || headers?.['X-Request-Id'] !== undefined, `${operationId} ${status}`)
  for (const name of ['Location', 'ETag', 'Idempotent-Replayed', 'RateLimit', 'RateLimit-Policy'])
    assert.ok(sentBy('createDesign', '201').includes(name), name)
  assert.ok(sentBy('createDesign', '429').includes('Retry-After'))
  assert.ok(sentBy('getDesign', '304').includes('ETag'))
  assert.ok(sentBy('getAssetContent', '302').includes('Location'))
})

test('responses have the documented headers, and no others of the list', async (t) => {
  const { service, token, design } = await startWithProduct(t)
  const key = { 'Idempotency-Key': 'key-1' }
  const created = await service.request('POST', '/designs', { token, body: design, headers: key })
  const id = created.body.id
  const replayed = await service.request('POST', '/designs', { token, body: design, headers: key })
  assert.equal(replayed.headers.get('idempotent-replayed'), 'true')
  const answers = [
    { operationId: 'createDesign', response: replayed },
    { operationId: 'getDesign', response: await service.request('GET', `/designs/${id}`, { token }) },
    { operationId: 'listDesigns', response: await service.request('GET', '/designs', { token }) },
    { operationId: 'preflightDesign', response: await service.request('POST', `/designs/${id}/preflight`, { token }) },
    { operationId: 'archiveDesign', response: await service.request('DELETE', `/designs/${id}`, { token }) },
  ]
  const listed = ['etag', 'location', 'idempotent-replayed', 'x-request-id', 'deprecation', 'sunset']
  for (const { operationId, response } of answers) {
    const documented = sentBy(operationId, String(response.status)).map((name) => name.toLowerCase())
    for (const name of listed)
      assert.equal(response.headers.has(name), documented.includes(name), `${operationId}: ${name}`)
  }
})

test('a deprecated route says so in its responses and in the document', async (t) => {
  const app = createTestApp()
  t.after(() => app.close())
  const deprecated = { since: '2026-01-01T00:00:00Z', sunset: '2027-01-01T00:00:00Z' }
  app.get('/old', { onRequest: publicRoute, config: { deprecated } }, async () => ({}))
  const { headers } = await app.inject('/old')
  assert.equal(headers['deprecation'], '@1767225600')
  assert.equal(headers['sunset'], 'Fri, 01 Jan 2027 00:00:00 GMT')
  const operation: Record<string, unknown> = { responses: { '200': {} } }
  describeHeaders(operation, { deprecated })
  assert.equal(operation['deprecated'], true)
  assert.match(JSON.stringify(operation), /headers\/Deprecation.*headers\/Sunset/)
})
