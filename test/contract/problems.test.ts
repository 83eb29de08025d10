import assert from 'node:assert/strict'
import { test } from 'node:test'
import '../../src/features.ts'
import { describeProblems } from '../../src/platform/http/operations/document/problems.ts'
import { problemCatalogue } from '../../src/platform/problem.ts'
import { contract, type Json, operations, requireOperation } from './document.ts'
import { startWithProduct } from './scene.ts'

const codesOf = (operationId: string, status: number): string[] => {
  const response = requireOperation(operationId).responses[status] as { 'x-platen-codes'?: string[] } | undefined
  return response?.['x-platen-codes'] ?? []
}

test('every operation documents its problems by status', () => {
  for (const { operationId, path, responses } of operations.values()) {
    for (const status of ['400', '401', '429', '503', 'default'])
      assert.ok(responses[status], `${operationId} ${status}`)
    if (path.includes('{')) assert.ok(responses['404'], operationId)
  }
  assert.deepEqual(codesOf('getDesign', 404), ['design_not_found'])
  assert.deepEqual(codesOf('getDesign', 422), ['customer_unknown'])
  assert.deepEqual(codesOf('archiveDesign', 412), ['precondition_failed'])
})

/** Problems of the HTTP layer that do not depend on the operation, or come before the operation is known. */
const OF_ANY_REQUEST = [
  '403 https_required',
  '405 method_not_allowed',
  '408 request_timeout',
  '431 headers_too_large',
  '500 internal_error',
]

test('every problem of the service is documented by an operation with its status', () => {
  const documented = [...operations.values()].flatMap(({ operationId, responses }) =>
    Object.keys(responses).flatMap((status) => codesOf(operationId, Number(status)).map((code) => `${status} ${code}`)),
  )
  const declared = [...problemCatalogue()].flatMap(([code, all]) => all.map(({ status }) => `${status} ${code}`))
  assert.deepEqual([...new Set([...documented, ...OF_ANY_REQUEST])].sort(), [...new Set(declared)].sort())
})

test('a code that is listed with a status that it does not have is an error', () => {
  const operation = { operationId: 'example', description: 'Later: 404 `design_not_draft`.' }
  assert.throws(() => describeProblems(operation, {}, '/example'), /example lists .* design_not_draft with status 404/)
})

test('a problem with members of its own has a schema that requires them', () => {
  const { content } = requireOperation('deleteMe').responses['403'] as { content: Record<string, { schema: Json }> }
  const { schema } = content['application/problem+json'] ?? {}
  assert.deepEqual(schema?.['anyOf'], [
    { $ref: '#/components/schemas/StepUpRequiredProblem' },
    { $ref: '#/components/schemas/Problem' },
  ])
  const { allOf } = contract.components.schemas['StepUpRequiredProblem'] as { allOf: Json[] }
  assert.deepEqual(allOf[1]?.['required'], ['code', 'maxAge'])
})

test('a code with two statuses states both', () => {
  const { description = '' } = requireOperation('getDesign').responses['404'] as { description?: string }
  assert.match(description, /`design_not_found`: .+ \(with status 422: .+\)/)
})

test('problems that the service sends are documented with their status and code', async (t) => {
  const { service, token, design } = await startWithProduct(t)
  const key = { 'Idempotency-Key': 'not a key' }
  const { body } = await service.request('POST', '/designs', { token, body: design })
  const stale = { 'If-Match': '"other"' }
  const send = service.request
  const sent = [
    { operationId: 'listDesigns', response: await send('GET', '/designs') },
    { operationId: 'listDesigns', response: await send('GET', '/designs?cursor=x', { token }) },
    { operationId: 'listDesigns', response: await send('GET', '/designs', { token: 'wrong' }) },
    { operationId: 'getDesign', response: await send('GET', '/designs/dsn_none', { token }) },
    { operationId: 'createDesign', response: await send('POST', '/designs', { token, body: {} }) },
    { operationId: 'createDesign', response: await send('POST', '/designs', { token, body: design, headers: key }) },
    { operationId: 'archiveDesign', response: await send('DELETE', `/designs/${body.id}`, { token, headers: stale }) },
    { operationId: 'listUsers', response: await send('GET', '/users', { token }) },
    { operationId: 'getOrder', response: await send('GET', '/orders/ord_none', { token }) },
    { operationId: 'createProduct', response: await send('POST', '/products', { token, body: {} }) },
  ]
  for (const { operationId, response } of sent) {
    assert.ok(response.status >= 400, operationId)
    assert.ok(codesOf(operationId, response.status).includes(response.body.code), `${operationId} ${response.text}`)
  }
})
